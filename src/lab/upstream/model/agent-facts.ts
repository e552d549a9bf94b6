import type { SeenCall } from './agent-conversation.js';
import type { OfferedTool } from './offered-tool.js';
import { isObject, type KnownOrder, readOrder } from './ticket-message.js';

/** What a tool is for, by its name. */
export type ToolRole = 'classify' | 'lookup' | 'refund' | 'letter';

const roleNames: Readonly<Record<ToolRole, RegExp>> = {
  classify: /classif/iu,
  lookup: /look_?up|find_order|get_order/iu,
  refund: /refund|pay_back/iu,
  letter: /reply|letter|mail/iu,
};

/** Returns what a tool of this name is for; undefined where its name says nothing known. */
export function roleOf(name: string): ToolRole | undefined {
  // The keys of the table are its roles.
  const roles = Object.keys(roleNames) as ToolRole[];
  return roles.find((role) => roleNames[role].test(name));
}

/** Returns the first offered tool for a role. */
export function toolFor(role: ToolRole, offered: readonly OfferedTool[]): OfferedTool | undefined {
  return offered.find(({ name }) => roleOf(name) === role);
}

/** Returns the call of a role that says how it came out: the last one with a value, else the last one. */
export function callOf(
  role: ToolRole,
  calls: readonly SeenCall[],
  fits: (input: SeenCall['input']) => boolean = () => true,
): SeenCall | undefined {
  const own = calls.filter(({ name, input }) => roleOf(name) === role && fits(input));
  return own.findLast(({ end }) => end.kind === 'value') ?? own.at(-1);
}

/** How often a role was called wrongly; the agent tries again only so often. */
export function wrongCalls(role: ToolRole, calls: readonly SeenCall[]): number {
  return calls.filter(({ name, end }) => roleOf(name) === role && end.kind === 'refused').length;
}

/** Returns the order that the look-ups of an id gave: null where there is none, undefined where none answered. */
export function orderFrom(
  calls: readonly SeenCall[],
  orderId: string,
): KnownOrder | null | undefined {
  const end = callOf('lookup', calls, (input) => input.orderId === orderId)?.end;
  if (end?.kind !== 'value') return undefined;
  const value = isObject(end.value) && 'order' in end.value ? end.value.order : end.value;
  return readOrder(value);
}
