import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderPage } from '../../src/pages/render-page.js';
import { launchChromium } from '../support/chromium.js';
import { describePage } from '../support/describe-page.js';
import { findPageFaults } from '../support/page-faults.js';
import { hostileText, samplePage } from '../support/sample-page.js';

describePage('a page of each kind of block', () => renderPage(samplePage('of a quiet day')));
describePage('a page of hostile texts', () => renderPage(samplePage(hostileText)));
describePage('a page without data', () =>
  renderPage({ ...samplePage(''), sections: emptySections }),
);

const emptySections = [
  {
    title: 'Nothing',
    blocks: [
      { kind: 'facts', facts: [] },
      { kind: 'table', table: { caption: 'No rows', columns: [{ title: 'Name' }], rows: [] } },
      { kind: 'timeline', timeline: { caption: 'No bars', rows: [{ label: 'idle', bars: [] }] } },
      {
        kind: 'chart',
        chart: {
          title: 'No values',
          description: 'Nothing was measured.',
          spec: {
            data: { values: [] },
            mark: 'line',
            encoding: { x: { field: 'second', type: 'quantitative' } },
          },
        },
      },
    ],
  },
] as const;

describe('the HTML of a page', () => {
  it('is the same for the same page', async () => {
    const first = await renderPage(samplePage('again'));
    assert.equal(await renderPage(samplePage('again')), first);
  });

  it('holds no script, and none of the tags that stand in texts', async () => {
    const html = await renderPage(samplePage(hostileText));
    assert.doesNotMatch(html, /<script|<img/i);
    assert.equal(html.match(/<\/style>/g)?.length, 1);
    assert.equal(html.match(/<title>/g)?.length, 1);
  });

  it('shows what texts hide', async () => {
    const html = await renderPage(samplePage(hostileText));
    assert.doesNotMatch(html, /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u{fffe}]/u);
    for (const code of ['0', '8', '1b', '202e', '2066', 'd800', 'fffe']) {
      assert.ok(html.includes(`\\u{${code}}`), code);
    }
  });

  it('gives each element a name of its own', async () => {
    const html = await renderPage(samplePage('of names'));
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.ok(ids.some((id) => id?.includes('clip')));
    assert.equal(new Set(ids).size, ids.length);
    for (const [, used] of html.matchAll(/url\(#([^)]*)\)/g)) assert.ok(ids.includes(used), used);
  });

  it('holds the data of each plot in a table, under the names of its axes', async () => {
    const html = await renderPage(samplePage(''));
    assert.match(html, /Data of: Calls per second/);
    assert.match(html, /<th scope="col" class="number">Calls<\/th>/);
  });
});

describe('the checks of a page', () => {
  it('find each fault that is planted', async () => {
    const browser = await launchChromium();
    try {
      const faults = await findPageFaults(browser, faultyPage);
      assert.deepEqual(
        Object.entries(faults).filter(([, found]) => found.length === 0),
        [],
      );
      assert.match(faults.access.join(), /400 px, dark: color-contrast/);
      assert.match(
        faults.keyboard.join(),
        /does not show its focus: .*plain.*can not be reached: .*never/s,
      );
    } finally {
      await browser.close();
    }
  });
});

const faultyPage = `<!doctype html><html lang="en"><title>Faulty</title>
<style>.plain:focus { outline: none } .wide { width: 1500px }
@media (prefers-color-scheme: dark) { .faint { color: #777; background: #555 } }</style>
<p class="wide">wide</p><p class="faint">faint</p><button class="plain">plain</button>
<button id="trap" onkeydown="event.preventDefault()">trap</button><button>never reached</button>
<img alt="outside" src="http://127.0.0.1:9/picture.png"><script>throw new Error('of a script')</script></html>`;
