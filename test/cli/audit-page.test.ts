import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AuditShown, auditPage } from '../../src/cli/audit/audit-page.js';
import { auditWords } from '../../src/cli/audit/audit-words.js';
import { renderPage } from '../../src/pages/render-page.js';
import { describePage } from '../support/describe-page.js';
import { hostileText } from '../support/sample-page.js';

function shown(text: string): AuditShown {
  const severities = ['high', 'medium', 'low'] as const;
  return {
    source: `the namespace default ${text}`,
    runs: 1_000,
    command: `holdfast audit ${text}`,
    findings: severities.map((severity) => ({
      severity,
      subject: `find_orders ${text}`,
      what: `12 % of its attempts are retries in vain ${text}`,
      setting: `nonRetryableErrorTypes ${text}`,
      examples: [`ticket-14 ${text}`, 'ticket-15'],
    })),
    activities: [0.4, 0.1, null].map((failureRate, index) => ({
      name: `activity-${index} ${text}`,
      calls: 1_200,
      lost: index,
      attempts: failureRate === null ? 0 : 1_500,
      failureRate,
      failureInterval: { low: (failureRate ?? 0) / 2, high: (failureRate ?? 0.5) * 1.5 },
      uncounted: index,
      amplification: failureRate === null ? null : 1.25,
      p50Ms: 120,
      p95Ms: null,
    })),
  };
}

describePage('the page of an audit', () => renderPage(auditPage(shown(hostileText))));

describe('the page of an audit', () => {
  it('says so where nothing was found, and draws nothing where nothing was measured', async () => {
    const nothing = { ...shown(''), findings: [], activities: [] };
    const html = await renderPage(auditPage(nothing));
    assert.match(html, /Nothing was found in 1,000 runs/);
    assert.doesNotMatch(html, /<svg/);
  });

  it('says what was not read, so that nothing found is not taken for health', async () => {
    const some = { ...shown(''), findings: [], isDone: false, skipped: 3, beyond: 2 };
    const html = await renderPage(auditPage(some));
    assert.match(
      html,
      /A limit ended it: there are more runs\. 3 histories could not be read\. 2 calls/,
    );
    const none = await renderPage(
      auditPage({ ...shown(''), runs: 0, findings: [], activities: [] }),
    );
    assert.match(none, /No run was read, so nothing is known/);
    assert.doesNotMatch(none, /No setting has to be changed/);
  });

  it('names the command with all that it was told, as a shell takes it', () => {
    const told = auditWords({
      query: "WorkflowType = 'pays'",
      namespace: 'support',
      state: 'my audit.json',
      writes: ['pay', 'send'],
      cost: new Map([['look up', 5]]),
      threshold: 4,
      html: 'audit.html',
    });
    assert.equal(
      told,
      "holdfast audit --namespace support --query 'WorkflowType = '\\''pays'\\''' --state 'my audit.json' " +
        "--writes pay,send --cost 'look up=5' --threshold 4 --html audit.html",
    );
    const plain = { query: '', writes: [], cost: new Map<string, number>(), threshold: 3 };
    assert.equal(auditWords(plain), 'holdfast audit');
  });

  it('tells how bad a finding is in words', async () => {
    const html = await renderPage(auditPage(shown('')));
    assert.match(html, /bad: <\/span>high/);
    assert.match(html, /warning: <\/span>medium/);
  });
});
