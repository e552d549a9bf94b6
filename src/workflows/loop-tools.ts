import { toJsonSchema } from '../contract/json-schema.js';
import { contentOf } from '../contract/keys.js';
import type { ModelTool } from '../contract/model.js';
import type { AnyTool } from '../contract/tool.js';

/** Tools as a model gets them, and the hash by which the store knows the list. */
export type OfferedTools = { readonly hash: string; readonly tools: readonly ModelTool[] };

/** Returns the tools as a model gets them; each list is made once. */
export function createOffer(
  tools: readonly AnyTool[],
): (withdrawn: readonly string[]) => OfferedTools {
  const made = new Map<string, OfferedTools>();
  const all = tools.map(modelTool);
  return (withdrawn) => {
    const key = withdrawn.join(' ');
    const offered = made.get(key) ?? offer(all.filter(({ name }) => !withdrawn.includes(name)));
    made.set(key, offered);
    return offered;
  };
}

function offer(tools: readonly ModelTool[]): OfferedTools {
  return { tools, hash: contentOf(tools).hash };
}

function modelTool({ name, description, input }: AnyTool): ModelTool {
  const { $schema: _sameForAll, ...inputSchema } = toJsonSchema(input, 'input');
  return { name, description, inputSchema };
}
