import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectFile } from './root.js';

/** A rule that an import breaks. */
export type Violation = {
  readonly rule: string;
  readonly from: string;
};

/**
 * Returns the import rules that a tree of planted files breaks. The tree is made in a temporary
 * folder beside the project's compiler settings and packages, and removed again.
 */
export async function cruise(options: {
  readonly config: string;
  /** Path to content. */
  readonly files: Readonly<Record<string, string>>;
}): Promise<readonly Violation[]> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-edges-'));
  try {
    for (const name of ['node_modules', 'package.json', 'tsconfig.json']) {
      await symlink(projectFile(name), join(folder, name));
    }
    for (const [path, content] of Object.entries(options.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    return await violations(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function violations(
  folder: string,
  { config, files }: { readonly config: string; readonly files: Readonly<Record<string, string>> },
): Promise<readonly Violation[]> {
  const program = projectFile('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const roots = [...new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''))];
  const args = [program, '--config', projectFile(config), '--output-type', 'json', ...roots];
  const text = await new Promise<string>((resolve, reject) => {
    const limits = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, args, limits, (error, stdout, stderr) => {
      // it ends with the number of violations: only an answer that isn't JSON is a failure
      if (stdout.startsWith('{')) resolve(stdout);
      else reject(new Error(`dependency-cruiser failed: ${stderr}`, { cause: error }));
    });
  });
  // the shape is dependency-cruiser's documented JSON result
  const result = JSON.parse(text) as {
    readonly summary: {
      readonly violations: readonly {
        readonly from: string;
        readonly rule: { readonly name: string };
      }[];
    };
  };
  return result.summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
}
