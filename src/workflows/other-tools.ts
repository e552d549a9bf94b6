import { fallbackTools } from '../contract/fallback.js';
import type { AnyTool } from '../contract/tool.js';

/** Returns tools, those that answer in their place, those that undo them, and the one that notifies. */
export function withOtherTools(named: {
  readonly tools: readonly AnyTool[];
  readonly notify?: AnyTool | undefined;
}): AnyTool[] {
  const { tools, notify } = named;
  return [...tools, ...(notify === undefined ? [] : [notify])].flatMap((tool) => [
    tool,
    ...fallbackTools(tool.fallback),
    ...(tool.compensate === undefined ? [] : [tool.compensate.tool]),
  ]);
}
