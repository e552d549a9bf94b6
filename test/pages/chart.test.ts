import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { Resvg } from '@resvg/resvg-js';
import { renderChartPng, renderChartSvg } from '../../src/pages/chart.js';
import type { Chart } from '../../src/pages/page.js';
import { pageColours, seriesColours } from '../../src/pages/palette.js';
import { hostileText, sampleChart } from '../support/sample-page.js';

describe('a chart as a picture', () => {
  it('is as wide as asked', async () => {
    const png = await renderChartPng(sampleChart(''), { widthPx: 640 });
    assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
    assert.equal(Buffer.from(png).readUInt32BE(16), 640);
  });

  it('shows its texts by the font that comes with it', async () => {
    const drawn = await inkOf(sampleChart(''), ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf']);
    const withoutFont = await inkOf(sampleChart(''), []);
    assert.ok(drawn > withoutFont + 400, `${drawn} and ${withoutFont} dark pixels`);
    const untitled = { ...sampleChart(''), title: '' };
    assert.ok(drawn > (await inkOf(untitled, ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'])) + 100);
  });

  it('is the same for the same chart', async () => {
    const first = await renderChartPng(sampleChart('x'), { widthPx: 400 });
    assert.deepEqual(await renderChartPng(sampleChart('x'), { widthPx: 400 }), first);
  });

  it('is drawn of texts that no XML may hold', async () => {
    const png = await renderChartPng(sampleChart(hostileText), { widthPx: 400 });
    assert.ok(png.length > 1_000);
  });
});

describe('a chart as SVG', () => {
  it('tells series by dashes and by shapes, not by colours alone', async () => {
    const lines = await renderChartSvg(sampleChart(''));
    assert.match(lines, /stroke-dasharray="(?!1,0)[^"]+"/);
    const { spec } = sampleChart('');
    const points = await renderChartSvg({ ...sampleChart(''), spec: { ...spec, mark: 'point' } });
    const shapes = new Set(
      [...points.matchAll(/translate\([^"]*" d="([^"]+)" stroke="#/g)].map(([, d]) => d),
    );
    assert.ok(shapes.size >= 2, `${shapes.size}`);
  });

  const outside: Chart = {
    ...sampleChart(''),
    spec: { data: { url: 'http://127.0.0.1:9/data.json' }, mark: 'point' },
  };
  it('throws an error for data that do not stand in it', async () => {
    await assert.rejects(renderChartSvg(outside), /must stand in it, not in http:/);
  });
});

describe('the colours', () => {
  const pairs = [
    ...(['ink', 'muted', 'link', 'good', 'bad', 'warning', 'quiet'] as const).flatMap((name) =>
      (['back', 'panel'] as const).map((behind) => ({
        name,
        colour: pageColours[name],
        behind,
        least: 4.5,
      })),
    ),
    ...seriesColours.map((colour, index) => ({
      name: `series ${index + 1}`,
      colour,
      behind: 'back' as const,
      least: 3,
    })),
  ];
  for (const { name, colour, behind, least } of pairs) {
    it(`${name} has a contrast of at least ${least} to ${behind}, light and dark`, () => {
      for (const shade of ['light', 'dark'] as const) {
        const ratio = contrast(colour[shade], pageColours[behind][shade]);
        assert.ok(ratio >= least, `${shade}: ${ratio}`);
      }
    });
  }
});

/** Pixels that are as dark as text. */
async function inkOf(chart: Chart, fonts: readonly string[]): Promise<number> {
  const { resolve } = createRequire(import.meta.url);
  const image = new Resvg(await renderChartSvg(chart), {
    background: '#ffffff',
    font: {
      loadSystemFonts: false,
      fontFiles: fonts.map((name) => resolve(`dejavu-fonts-ttf/ttf/${name}`)),
      defaultFontFamily: 'DejaVu Sans',
    },
  });
  const { pixels } = image.render();
  let ink = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 255, green = 255, blue = 255] = pixels.subarray(at, at + 3);
    if (red + green + blue < 300) ink += 1;
  }
  return ink;
}

/** WCAG 2, "contrast ratio" and "relative luminance". */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
