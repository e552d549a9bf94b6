import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from './cli-errors.js';

/** What a module of the user's exports, by name. */
export type ModuleExports = Readonly<Record<string, unknown>>;

/**
 * Loads a module of the user's by its path.
 * @throws UsageError where it isn't there, can't be loaded, or throws
 */
export async function importModule(path: string): Promise<ModuleExports> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = path.endsWith('.ts') ? '\nName the compiled module, such as dist/worker.js.' : '';
    throw new UsageError(`The module ${path} can't be loaded: ${reason}${hint}`, { cause });
  }
}

/** Returns an export of a module. Throws `UsageError` that lists what it has instead. */
export function exportOf(module: ModuleExports, name: string, path: string): unknown {
  if (Object.hasOwn(module, name)) return module[name];
  const names = Object.keys(module);
  const has = names.length === 0 ? 'exports nothing' : `exports ${names.join(', ')}`;
  throw new UsageError(`The module ${path} has no export named ${name}: it ${has}.`);
}
