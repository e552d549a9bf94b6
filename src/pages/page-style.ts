import { type Colour, pageColours, seriesColours } from './palette.js';

const colours: Readonly<Record<string, Colour>> = {
  ...pageColours,
  ...Object.fromEntries(seriesColours.map((colour, index) => [`series-${index}`, colour])),
};

const variables = (shade: keyof Colour): string =>
  Object.entries(colours)
    .map(([name, colour]) => `--${name}:${colour[shade]};`)
    .join('');

/** Plots are drawn in light colours: what has one of them takes the page's shade of it. */
const plotColours = Object.entries(colours)
  .map(
    ([name, { light }]) =>
      `.plot [fill="${light}"]{fill:var(--${name})}.plot [stroke="${light}"]{stroke:var(--${name})}`,
  )
  .join('\n');

/** Returns the style sheet of every page. */
export const pageStyle = `
:root{color-scheme:light dark;${variables('light')}}
@media (prefers-color-scheme:dark){:root{${variables('dark')}}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);overflow-wrap:anywhere;
  font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
header,main,footer{max-width:62rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
footer{padding-bottom:3rem;margin-top:3rem;color:var(--muted);font-size:.9rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .6rem}
h2{font-size:1.25rem;line-height:1.3;margin:2.5rem 0 .8rem;padding-top:1rem;border-top:1px solid var(--line)}
.lead{font-size:1.1rem;margin:0 0 1rem;max-width:46rem}
.text{max-width:46rem;margin:.8rem 0;white-space:pre-line}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-100rem;top:.5rem;padding:.4rem .8rem;background:var(--back)}
.skip:focus{left:.5rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;margin:0}
nav a{display:inline-block;padding:.2rem 0}
.facts{display:grid;grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr));gap:.75rem;margin:1rem 0}
.facts div{background:var(--panel);border-radius:.5rem;padding:.7rem .9rem;border-left:4px solid var(--line)}
.facts dt{color:var(--muted);font-size:.875rem;line-height:1.3}
.facts dd{margin:.15rem 0 0;font-size:1.25rem;font-weight:600;line-height:1.3}
.good{color:var(--good)}.bad{color:var(--bad)}.warning{color:var(--warning)}.quiet{color:var(--muted)}
.facts .is-good{border-color:var(--good)}.facts .is-bad{border-color:var(--bad)}
.facts .is-warning{border-color:var(--warning)}
.scroll{position:relative;overflow-x:auto;margin:1rem 0}
details .scroll{overflow-y:auto;max-height:30rem}
table{border-collapse:collapse;min-width:100%;font-size:.925rem;line-height:1.4}
caption{text-align:left;font-weight:600;padding:0 0 .5rem}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line);
  overflow-wrap:normal}
.long{min-width:13rem;overflow-wrap:anywhere}
thead th{color:var(--muted);font-weight:600;border-bottom-width:2px}
tbody th{font-weight:500}
.number{text-align:right;font-variant-numeric:tabular-nums}
td.number{white-space:nowrap}
figure{margin:1.5rem 0}
figcaption{font-weight:600;margin-bottom:.4rem}
.about{color:var(--muted);margin:.2rem 0 .6rem;max-width:46rem}
.plot svg{display:block;max-width:100%;height:auto}
.plot text{font-family:inherit}
.plot .narrow{display:none}
@media (max-width:47.99rem){.plot .wide{display:none}.plot .narrow{display:block}}
${plotColours}
summary{cursor:pointer;color:var(--link);padding:.25rem 0;width:fit-content}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;margin:0 0 .8rem;font-size:.9rem}
.legend .bar{position:static;display:inline-block;width:1.6rem;margin-right:.5rem;vertical-align:middle}
.rows{list-style:none;padding:0;margin:0}
.rows li,.axis{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:0 1rem;align-items:center}
.label{font-size:.9rem;line-height:1.3;padding:.35rem 0}
.lane{position:relative;height:2rem;border-right:1px solid var(--line);
  background:linear-gradient(to right,var(--line) 1px,transparent 1px) 0 0/var(--step) 100%}
.bar{position:absolute;top:.4rem;height:1.2rem;min-width:.3rem;border-radius:.2rem;border:2px solid currentColor;
  background-color:currentColor}
.bar.bad{background:repeating-linear-gradient(45deg,currentColor 0 4px,var(--back) 4px 6px)}
.bar.warning{background:repeating-linear-gradient(-45deg,currentColor 0 2px,var(--back) 2px 6px)}
.bar.quiet{background:var(--back);border-style:dashed}
.bar:hover,.bar:focus{z-index:2}
.tip{display:none;position:absolute;z-index:3;top:1.8rem;left:0;right:0;width:fit-content;max-width:100%;padding:.4rem .7rem;
  background:var(--ink);color:var(--back);border-radius:.3rem;font-size:.875rem;line-height:1.4}
.bar:hover+.tip,.bar:focus+.tip,.tip:hover{display:block}
.ticks{position:relative;height:1.6rem;font-size:.8rem;color:var(--muted)}
.ticks span{position:absolute;top:.2rem;white-space:nowrap}
@media (max-width:47.99rem){
  .rows li,.axis{grid-template-columns:1fr}
  .label{padding:.5rem 0 0}
  .axis .label{display:none}
  .ticks span.odd{display:none}
}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em;
  background:var(--panel);padding:.15rem .4rem;border-radius:.25rem}
@media print{
  :root{color-scheme:light;${variables('light')}}
  .skip,nav,.tip{display:none!important}
  header,main,footer{max-width:none}
  .scroll{overflow:visible;max-height:none}
  figure,tr,.facts div{break-inside:avoid}
  *{print-color-adjust:exact}
}
`;
