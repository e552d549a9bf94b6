import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { projectFile } from './root.js';

/** Returns the commands, one a line, of the README's shell block that is marked `<!-- command: name -->`. */
export function readmeCommands(name: string): readonly string[] {
  const readme = readFileSync(projectFile('README.md'), 'utf8');
  const marked = new RegExp(`<!-- command: ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``);
  const block = marked.exec(readme)?.[1];
  assert.ok(block, `the README has no block marked <!-- command: ${name} -->`);
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}
