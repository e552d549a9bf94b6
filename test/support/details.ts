import type { WorkflowHandle } from '@temporalio/client';

type Metadata = { readonly currentDetails?: string };

/** Returns a run's Current Details as the UI asks for them, with single blanks. */
export async function detailsOf(handle: WorkflowHandle): Promise<string> {
  const { currentDetails } = await handle.query<Metadata>('__temporal_workflow_metadata');
  return String(currentDetails).replaceAll('\u00a0', ' ').replaceAll(/ +/g, ' ');
}
