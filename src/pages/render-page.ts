import { renderChartSvg } from './chart.js';
import { chartTables } from './chart-rows.js';
import type { Block, Chart, Fact, Page, Section } from './page.js';
import { pageStyle } from './page-style.js';
import { renderTable, renderToned } from './render-table.js';
import { renderTimeline } from './render-timeline.js';
import { escapeHtml } from './visible-text.js';

/** Widths that charts are laid out at: a page shows the one that fits. */
const chartWidthsPx = { wide: 940, narrow: 350 } as const;

/** Sections from which on a page begins with links to them. */
const sectionsWithLinks = 3;

/**
 * Returns a page as one HTML document without script that asks nothing of any network: its policy forbids
 * it. The same page gives the same text. Throws an error where a chart can't be drawn.
 */
export async function renderPage({ title, lead, sections, command }: Page): Promise<string> {
  const parts: string[] = [];
  for (const [index, section] of sections.entries()) {
    parts.push(await renderSection(section, `section-${index + 1}`));
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style>${pageStyle}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>${escapeHtml(title)}</h1>
<p class="lead">${escapeHtml(lead)}</p>
${renderLinks(sections)}</header>
<main id="content">
${parts.join('\n')}
</main>
<footer><p>Made by <code>${escapeHtml(command)}</code></p></footer>
</body>
</html>
`;
}

function renderLinks(sections: readonly Section[]): string {
  if (sections.length < sectionsWithLinks) return '';
  const links = sections.map(
    ({ title }, index) => `<li><a href="#section-${index + 1}">${escapeHtml(title)}</a></li>`,
  );
  return `<nav aria-label="On this page"><ul>${links.join('')}</ul></nav>\n`;
}

async function renderSection({ title, blocks }: Section, id: string): Promise<string> {
  const parts: string[] = [];
  for (const [index, block] of blocks.entries()) {
    parts.push(await renderBlock(block, `${id}-${index + 1}`));
  }
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(title)}</h2>
${parts.join('\n')}
</section>`;
}

async function renderBlock(block: Block, id: string): Promise<string> {
  switch (block.kind) {
    case 'text':
      return `<p class="text">${escapeHtml(block.text)}</p>`;
    case 'facts':
      return `<dl class="facts">${block.facts.map(renderFact).join('')}</dl>`;
    case 'table':
      return renderTable(block.table, id);
    case 'chart':
      return await renderChart(block.chart, id);
    case 'timeline':
      return renderTimeline(block.timeline);
  }
}

function renderFact({ name, value, tone = 'quiet' }: Fact): string {
  const shown = tone === 'quiet' ? escapeHtml(value) : renderToned(value, tone);
  return `<div class="is-${tone}"><dt>${escapeHtml(name)}</dt><dd>${shown}</dd></div>`;
}

async function renderChart(chart: Chart, id: string): Promise<string> {
  const plots: string[] = [];
  for (const [name, widthPx] of Object.entries(chartWidthsPx)) {
    const svg = await renderChartSvg(chart, { widthPx, hasTitle: false });
    const described = `role="img" aria-labelledby="${id}" aria-describedby="${id}-about"`;
    plots.push(
      ofPage(svg, `${id}-${name}`).replace('class="marks"', `class="${name}" ${described}`),
    );
  }
  const tables = chartTables(chart).map((table, index) =>
    renderTable(table, `${id}-data-${index}`),
  );
  return `<figure class="plot"><figcaption id="${id}">${escapeHtml(chart.title)}</figcaption>
<p class="about" id="${id}-about">${escapeHtml(chart.description)}</p>
${plots.join('\n')}
<details><summary>Data of this plot</summary>
${tables.join('\n')}
</details></figure>`;
}

/** Names the parts of a plot that its other parts refer to so that many plots can stand in one page. */
function ofPage(svg: string, id: string): string {
  return svg.replace(/<[^>]*>/g, (tag) =>
    tag
      .replace(/\bid="((?:clip|gradient_|pattern_)[^"]*)"/g, `id="${id}-$1"`)
      .replace(/url\(#([^)]*)\)/g, `url(#${id}-$1)`),
  );
}
