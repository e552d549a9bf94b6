import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runFindings } from '../../src/cli/report/run-findings.js';
import { addRun, initialAudit } from '../../src/history/audit/audit.js';
import { reportRuns } from '../../src/history/report.js';
import { runOf, thrown, type WrittenActivity } from '../support/history-of.js';

const refused = thrown('Request failed with status code 403');
const down = thrown('Request failed with status code 503');
const late = {
  message: 'late',
  timeoutFailureInfo: { timeoutType: 'TIMEOUT_TYPE_START_TO_CLOSE' },
};

/** A call of three attempts, and how many of its retries were in vain. */
const rows: readonly (readonly [string, WrittenActivity, number])[] = [
  ['a call is lost to what no retry mends', { end: 'failed', failure: refused }, 2],
  ['it is lost to what a retry may mend', { end: 'failed', failure: down }, 0],
  ['it timed out', { end: 'timed-out', failure: late }, 0],
  ['its last attempt was answered', { end: 'completed', failureBefore: refused }, 0],
  ['it was cancelled', { end: 'canceled', failureBefore: down }, 0],
  [
    'its policy names what ended it',
    { end: 'failed', failure: refused, retryState: 'RETRY_STATE_NON_RETRYABLE_FAILURE' },
    0,
  ],
  [
    'its code said that what ended it is not to be retried',
    { end: 'failed', failure: thrown('no', { nonRetryable: true }) },
    0,
  ],
  ['nobody knows what it failed of', { end: 'failed', failure: thrown('oh') }, 0],
];

describe('the retries of a call', () => {
  for (const [when, activity, inVain] of rows) {
    it(`are ${inVain === 0 ? 'not ' : ''}in vain where ${when}`, () => {
      const run = runOf({ activities: [{ attempts: 3, ...activity }] });
      assert.equal(reportRuns([run]).totals.retriesInVain, inVain);
      const said = runFindings(run).filter((text) => text.includes('does not cure'));
      assert.equal(said.length, inVain === 0 ? 0 : 1);
      assert.equal(addRun(initialAudit, run).activities.look?.futileRetries, inVain);
    });
  }
});
