import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chart, Page } from '../pages/page.js';
import { checkWritable, writeWhole } from './write-file.js';

/** Writes a page as one HTML file. Throws `UsageError` where it can't be written. */
export async function writePage(path: string, page: Page): Promise<void> {
  const { renderPage } = await import('../pages/render-page.js'); // the plots take long to load
  await writeWhole(path, await renderPage(page));
}

/** Writes a chart as a PNG file. Throws `UsageError` where it can't be written. */
export async function writeChart(path: string, chart: Chart): Promise<void> {
  const { renderChartPng } = await import('../pages/chart.js');
  await writeWhole(path, await renderChartPng(chart));
}

/**
 * Returns when charts can be written into a folder, which is made where it isn't there, as far as can be told before.
 * Throws `UsageError` otherwise.
 */
export async function checkWritableFolder(folder: string): Promise<void> {
  await makeFolder(folder);
  await checkWritable(join(folder, '01-chart.png'));
}

/**
 * Writes each chart of a page into a folder, which is made where it isn't there, and returns the files' paths:
 * `01-calls-per-second.png` and so on. Throws `UsageError` where one can't be written.
 */
export async function writeCharts(folder: string, page: Page): Promise<readonly string[]> {
  await makeFolder(folder);
  const paths: string[] = [];
  for (const [index, chart] of chartsOf(page).entries()) {
    const path = join(folder, `${String(index + 1).padStart(2, '0')}-${fileName(chart.title)}.png`);
    await writeChart(path, chart);
    paths.push(path);
  }
  return paths;
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch(() => undefined); // writing says what is wrong
}

function chartsOf(page: Page): readonly Chart[] {
  const blocks = page.sections.flatMap((section) => section.blocks);
  return blocks.flatMap((block) => (block.kind === 'chart' ? [block.chart] : []));
}

function fileName(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 60) || 'chart';
}
