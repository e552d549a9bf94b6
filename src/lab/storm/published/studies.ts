import { reproduceCollapse } from './collapse.js';
import { reproduceContention } from './contention.js';
import type { Study, StudyOptions } from './figure.js';
import { reproduceClients, reproduceFailureRate } from './retry-load.js';

/** The published studies that can be run again, by name. */
export const studies = {
  contention: reproduceContention,
  'failure-rate': reproduceFailureRate,
  clients: reproduceClients,
  collapse: reproduceCollapse,
} as const satisfies Readonly<Record<string, (options: StudyOptions) => Promise<Study>>>;

/** The name of a study. */
export type StudyName = keyof typeof studies;

/** Their names. */
export const studyNames = Object.keys(studies) as readonly StudyName[]; // the keys of what stands above
