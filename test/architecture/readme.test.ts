import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { projectFile } from '../support/root.js';

const readme = readFileSync(projectFile('README.md'), 'utf8');
const tests = readdirSync(projectFile('test'), { recursive: true, encoding: 'utf8' });
const marked = [...readme.matchAll(/<!-- example: (\S+) -->\n```ts\n([\s\S]*?)```/g)];

describe('the README', () => {
  it('shows the smallest program and the files of an agent task', () => {
    assert.equal(marked.length, 6);
  });

  for (const [, path = '', block] of marked) {
    it(`shows ${path} as it is`, () => {
      assert.equal(block, readFileSync(projectFile(path), 'utf8'));
    });
  }

  it('names only tests that exist', () => {
    const names = [
      ...readme.matchAll(
        /`((?:workflows|budget|crash|contract|activities|replay|waits|loops)\/[a-z-]*)`/g,
      ),
    ];
    assert.ok(names.length > 0);
    for (const [, name = ''] of names) {
      const found = tests.some((file) => file.startsWith(name));
      assert.ok(found, `no test at test/${name}`);
    }
  });
});
