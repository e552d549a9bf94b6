import { execFile } from 'node:child_process';
import { inPlantedTree, type PlantedFiles } from './planted.js';
import { projectFile } from './root.js';

/** A rule that an import breaks. */
export type Violation = {
  readonly rule: string;
  readonly from: string;
};

/** Returns the import rules of a configuration that a tree of planted files breaks. */
export async function cruise(options: {
  readonly config: string;
  readonly files: PlantedFiles;
}): Promise<readonly Violation[]> {
  const { config, files } = options;
  return inPlantedTree({ files, settings: [] }, (folder) => violations(folder, { config, files }));
}

async function violations(
  folder: string,
  { config, files }: { readonly config: string; readonly files: PlantedFiles },
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
