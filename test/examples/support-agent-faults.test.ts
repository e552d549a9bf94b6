import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ticket, ticketSchema } from '../../examples/support-agent/ticket.js';
import type { FaultPlanInput, UpstreamStats } from '../../src/lab/upstream/index.js';
import { type AgentRig, type AgentShop, startAgentRig, type Worked } from '../support/agent-rig.js';
import { projectFile } from '../support/root.js';
import { assertTruthful, happenedFor, readClaims } from '../support/told-truth.js';
import { brief } from './fixture/agent-figures.js';

/** Ten tickets in five languages: refunds, one of them large and one in part, questions, an order that isn't there. */
const chosen = ['01', '02', '03', '05', '06', '08', '10', '14', '16', '24'];
const folder = projectFile('examples', 'support-agent', 'tickets');
const tickets: readonly Ticket[] = readdirSync(folder)
  .filter((file) => chosen.includes(file.slice(0, 2)))
  .map((file) => ticketSchema.parse(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))));

type Faults = NonNullable<NonNullable<FaultPlanInput['chat']>['faults']>;
type Run = { readonly worked: readonly Worked[]; readonly stats: UpstreamStats };

/** What a faultless run sends is allowed, and 12 percent more. */
const MOST_LOAD = 1.12;
/** The example's own deadline. */
const UNHURRIED_MS = 120_000;
/** What a worker and a server may need to hear of the deadline, on two cores that other tests share. */
const SLACK_MS = 20_000;

const everywhere = (...faults: Faults): FaultPlanInput => ({ every: { faults } });
const hinted = (waitMs: number): FaultPlanInput =>
  everywhere({ kind: 'rate-limit', rate: 0.3, hint: { form: 'seconds', waitMs } });
const chat = (...faults: Faults): FaultPlanInput => ({ chat: { faults } });
const refusing = (rate: number, retryable?: boolean): { readonly faults: Faults } => ({
  faults: [{ kind: 'refuse', rate, ...(retryable !== undefined && { retryable }) }],
});

/** Faults of services: the retries that they provoke are what the budgets are for. */
const services: readonly {
  readonly name: string;
  readonly faults: FaultPlanInput;
  readonly deadlineMs?: number;
  /** What has to happen for the case to be met at all. */
  readonly meets?: 'refunds';
}[] = [
  {
    name: '30 % drops and 2 s delay',
    faults: { every: { delay: { ms: 2_000 }, faults: [{ kind: 'drop', rate: 0.3 }] } },
    deadlineMs: 35_000, // the delays of a ticket alone add up to 18 s
  },
  { name: '429 with hints of 1 s', faults: hinted(1_000) },
  { name: '429 with hints of 30 s', faults: hinted(30_000) },
  { name: '429 with hints of a day', faults: hinted(86_400_000) },
  {
    name: 'tools that answer {success: false}',
    faults: { lookup: refusing(0.3, true), refunds: refusing(0.5), emails: refusing(0.3, false) },
  },
  {
    name: 'refunds whose answers get lost, and a model that is gone thereafter',
    faults: {
      refunds: { faults: [{ kind: 'status', status: 500, at: 'after-effect' }] },
      ...chat({ kind: 'status', status: 503, window: { after: 40, calls: 1_000 } }),
    },
    meets: 'refunds',
  },
];

/** Faults of the model: a wrong turn is a turn, so that turns bound them, and no tool hears of them. */
const models: readonly { readonly name: string; readonly faults: Faults }[] = [
  {
    name: 'broken JSON, unknown tools and wrong arguments in three of five turns',
    faults: [
      { kind: 'misbehave', how: 'broken-arguments', rate: 0.2 },
      { kind: 'misbehave', how: 'unknown-tool', rate: 0.2 },
      { kind: 'misbehave', how: 'wrong-arguments', rate: 0.2 },
    ],
  },
  { name: 'nothing but broken JSON', faults: [{ kind: 'misbehave', how: 'broken-arguments' }] },
  { name: 'endless tool calls', faults: [{ kind: 'misbehave', how: 'endless-calls' }] },
];

describe('the support agent', () => {
  let rig: AgentRig;
  let calm: Run;

  before(async () => {
    rig = await startAgentRig();
    calm = await inShop((shop) => runOn(shop, {}, UNHURRIED_MS));
  });
  after(() => rig.stop());

  async function inShop<T>(body: (shop: AgentShop) => Promise<T>): Promise<T> {
    const shop = await rig.openShop();
    try {
      return await body(shop);
    } finally {
      await shop.close();
    }
  }

  it('does all that its tickets ask for while nothing fails', () => {
    assertHolds(calm, UNHURRIED_MS);
    for (const { result } of calm.worked) assert.equal(result.kind, 'ok', result.text);
    assert.equal(calm.stats.routes.refunds.effects, 8);
    assert.equal(calm.stats.routes.emails.effects, tickets.length);
  });

  describe('stays truthful and in time, does nothing twice and storms nobody', {
    concurrency: 2,
  }, () => {
    for (const { name, faults, deadlineMs, meets } of services) {
      it(`under ${name}`, async () => {
        const run = await inShop((shop) => runOn(shop, faults, deadlineMs));
        assertHolds(run, deadlineMs);
        assertLoad(run, calm, ['lookup', 'refunds', 'emails', 'chat']);
        if (meets) assert.ok(run.stats.routes[meets].effects > 0);
      });
    }

    for (const { name, faults } of models) {
      it(`with a model of ${name}`, async () => {
        const run = await inShop((shop) => runOn(shop, chat(...faults)));
        assertHolds(run);
        assertLoad(run, calm, ['lookup', 'refunds', 'emails']);
        for (const { result } of run.worked) assert.ok(result.turns <= 20);
      });
    }

    it('while the model is down for a minute, and works again when it is back', async () => {
      await inShop(async (shop) => {
        const run = await runOn(
          shop,
          chat({ kind: 'status', status: 503, during: { forMs: 60_000 } }),
        );
        assertHolds(run);
        assertLoad(run, calm, ['lookup', 'refunds', 'emails', 'chat']);
        for (const { result } of run.worked) assert.equal(result.kind, 'degraded');
        shop.upstream.setFaults({}); // no ticket may take as long as the rest of the minute
        await sleep(brief.openForMs);
        assert.equal(await firstThatEndsWell(shop), 'ok');
      });
    });
  });
});

async function runOn(shop: AgentShop, faults: FaultPlanInput, deadlineMs?: number): Promise<Run> {
  const { upstream } = shop;
  upstream.setFaults(faults);
  const worked = await shop.workOn(tickets, deadlineMs);
  return { worked, stats: upstream.stats() };
}

/** A breaker lets a probe through once it has rejected a few calls: the first tickets may meet it. */
async function firstThatEndsWell(shop: AgentShop): Promise<string | undefined> {
  for (const ticket of tickets) {
    const [worked] = await shop.workOn([ticket], UNHURRIED_MS);
    if (worked?.result.kind === 'ok') return worked.result.kind;
  }
  return undefined;
}

function assertHolds({ worked, stats }: Run, deadlineMs: number = brief.deadlineMs): void {
  for (const { ticket, result, tookMs } of worked) {
    assert.ok(tookMs <= deadlineMs + SLACK_MS, `${ticket.id} took ${tookMs} ms`);
    const happened = happenedFor(stats, ticket);
    assert.ok(happened.refunds <= 1, `${ticket.id} was paid back ${happened.refunds} times`);
    assert.ok(happened.letters.length <= 1, `${ticket.id} got ${happened.letters.length} letters`);
    assertTruthful(result.text, readClaims(result), happened);
  }
  assert.equal(stats.totals.doubledEffects, 0);
}

function assertLoad(run: Run, calm: Run, routes: readonly (keyof UpstreamStats['routes'])[]): void {
  const requests = ({ stats }: Run): number =>
    routes.reduce((sum, route) => sum + stats.routes[route].requests, 0);
  const most = MOST_LOAD * requests(calm);
  assert.ok(requests(run) <= most, `${requests(run)} requests, at most ${most} are allowed`);
}
