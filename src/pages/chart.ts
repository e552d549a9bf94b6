import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { loader, parse, resetSVGDefIds, View } from 'vega';
import { compile } from 'vega-lite';
import type { Chart } from './page.js';
import { pageColours } from './palette.js';
import { plotFont } from './plot-config.js';
import { type PlotOptions, plotSpec } from './plot-spec.js';

/** Pixels that a picture of a chart is laid out at; it is scaled to the width that is asked for. */
const layoutWidthPx = 760;

/**
 * Returns a chart as SVG in its light colours; the same chart gives the same text. Throws an error where the
 * spec is none of Vega-Lite or asks for data that don't stand in it.
 */
export async function renderChartSvg(
  chart: Chart,
  { widthPx = layoutWidthPx, hasTitle = true }: Partial<PlotOptions> = {},
): Promise<string> {
  const faults: string[] = [];
  const log = collectsFaults(faults);
  const { spec } = compile(plotSpec(chart, { widthPx, hasTitle }), { logger: log });
  const view = new View(parse(spec), {
    renderer: 'none',
    logger: log,
    loader: loadsNothing(faults),
  });
  try {
    await view.runAsync();
    resetSVGDefIds();
    const svg = await view.toSVG();
    if (faults.length > 0) throw new Error(`The chart "${chart.title}": ${faults.join('; ')}`);
    return withoutRoles(svg);
  } finally {
    view.finalize();
  }
}

/** Returns a chart as a PNG of the given width, with its title, in its light colours. */
export async function renderChartPng(
  chart: Chart,
  { widthPx = 2 * layoutWidthPx }: { readonly widthPx?: number } = {},
): Promise<Uint8Array> {
  const image = new Resvg(await renderChartSvg(chart), {
    background: pageColours.back.light,
    fitTo: { mode: 'width', value: widthPx },
    font: {
      loadSystemFonts: false, // the same picture on each machine
      fontFiles: ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map(fontFile),
      defaultFontFamily: plotFont,
    },
  });
  return image.render().asPng();
}

function fontFile(name: string): string {
  return createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}`);
}

/** A page says of its own what a chart shows; inner roles of an image are noise. */
function withoutRoles(svg: string): string {
  return svg.replace(/<[^>]*>/g, (tag) =>
    tag.replace(/ (role="graphics-[a-z]+"|aria-[a-z]+="[^"]*"|pointer-events="none")/g, ''),
  );
}

function loadsNothing(faults: string[]): ReturnType<typeof loader> {
  const refuse = (uri: string): Promise<never> => {
    faults.push(`its data must stand in it, not in ${uri}`);
    return Promise.reject(new Error(uri));
  };
  return { ...loader(), load: refuse, sanitize: refuse };
}

/** A logger that keeps errors; warnings, such as that of a scale without data, are no fault of the reader. */
function collectsFaults(faults: string[]) {
  const log = {
    level: () => log,
    error: (...texts: readonly unknown[]) => {
      faults.push(texts.map(String).join(' '));
      return log;
    },
    warn: () => log,
    info: () => log,
    debug: () => log,
  };
  // Vega's own type is overloaded: its `level` returns a number where none is given
  return log as unknown as NonNullable<ConstructorParameters<typeof View>[1]>['logger'] & object;
}
