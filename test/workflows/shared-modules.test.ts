import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { describe, it } from 'node:test';
import { type HoldfastOptions, holdfast } from 'holdfast';

function shared(options: HoldfastOptions, present: readonly string[] = []): string[] {
  const bundle = { workflowsPath: 'workflows.js', preloadModules: [...present] };
  const { configureBundler } = holdfast(options);
  assert.ok(configureBundler, 'the plugin configures bundles');
  const { preloadModules = [] } = configureBundler(bundle);
  return preloadModules.map((path) => basename(path));
}

describe('modules that runs share', () => {
  it('are the gate and the door for adoption, without zod', () => {
    assert.deepEqual(shared({}), ['interceptors.js', 'adoption.js']);
  });

  it("stand behind the user's own", () => {
    assert.deepEqual(shared({}, ['own.js']), ['own.js', 'interceptors.js', 'adoption.js']);
  });
});
