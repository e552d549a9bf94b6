/**
 * Tells whether code runs while a workflow is being set up or run. The SDK keeps its activator under
 * this name; contract code can't import the workflow package, which exists in the sandbox only.
 */
export function isInWorkflowSandbox(): boolean {
  return (globalThis as { __TEMPORAL_ACTIVATOR__?: unknown }).__TEMPORAL_ACTIVATOR__ !== undefined;
}
