import { defineQuery, setHandler } from '@temporalio/workflow';
import { type Feature, queryAliases } from '../contract/messages.js';
import type { RunReport, RunState } from '../contract/run-state.js';
import { stateOf } from './call-plan.js';
import { featuresOf } from './features.js';
import type { RunContext } from './run-context.js';
import { reportOf } from './run-state.js';

const stateQuery = defineQuery<RunState>(queryAliases.state);
const reportQuery = defineQuery<RunReport>(queryAliases.report);
const featuresQuery = defineQuery<readonly Feature[]>(queryAliases.features);

/** Answers the queries of a run by their short names too: those workflows do that are holdfast's own. */
export function answerShortQueries(run: RunContext): void {
  setHandler(stateQuery, () => stateOf(run));
  setHandler(reportQuery, () => reportOf(stateOf(run)));
  setHandler(featuresQuery, () => featuresOf(run));
}
