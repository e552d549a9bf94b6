import type { PageTable, Tone } from './page.js';
import { escapeHtml } from './visible-text.js';

/** Returns a table as HTML, in a region that scrolls by itself. `id` is unique in the page. */
export function renderTable({ caption, columns, rows }: PageTable, id: string): string {
  const attributes = (text: string, column: number): string => {
    const isNumber = columns[column]?.isNumber === true;
    const classes = [isNumber ? 'number' : '', text.length > longTextLength ? 'long' : ''];
    return ` class="${classes.join(' ').trim()}"`.replace(' class=""', '');
  };
  const head = columns.map(
    ({ title }, index) => `<th scope="col"${attributes(title, index)}>${escapeHtml(title)}</th>`,
  );
  const body = rows.map((row) => {
    const cells = row.map((cell, index) => {
      const { text, tone = undefined } = typeof cell === 'string' ? { text: cell } : cell;
      const shown = tone === undefined ? escapeHtml(text) : renderToned(text, tone);
      const tag = index === 0 ? 'th' : 'td';
      const scope = index === 0 ? ' scope="row"' : '';
      return `<${tag}${scope}${attributes(text, index)}>${shown}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table>
<caption id="${id}">${escapeHtml(caption)}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${body.join('\n')}
</tbody></table></div>`;
}

/** Longer texts are broken into lines of a readable length. */
const longTextLength = 28;

const signs: Readonly<Record<Tone, { readonly sign: string; readonly word: string }>> = {
  good: { sign: '✓', word: 'good' },
  bad: { sign: '✗', word: 'bad' },
  warning: { sign: '!', word: 'warning' },
  quiet: { sign: '', word: '' },
};

/** Returns a text with its tone as colour, as a sign, and as a word for those who hear the page. */
export function renderToned(text: string, tone: Tone): string {
  const { sign, word } = signs[tone];
  const shown = escapeHtml(text);
  if (sign === '') return `<span class="${tone}">${shown}</span>`;
  return `<span class="${tone}"><span aria-hidden="true">${sign} </span><span class="unseen">${word}: </span>${shown}</span>`;
}
