import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converse, type Results, type Turn, wireTools } from './agent-conversation.js';
import { withUpstream } from './upstream-fixture.js';

const ticket = {
  id: 'ticket-1',
  from: 'somebody@example.com',
  subject: 'Kettle',
  body: 'Please refund ORD-1003, the kettle is broken.',
};
const order = { orderId: 'ORD-1003', totalCents: 4_480, charges: [1], delivery: { state: 'lost' } };
const answers: Readonly<Record<string, unknown>> = {
  classify_ticket: { intent: 'refund' },
  look_up_order: { order },
  refund: { refundId: 'refund-1' },
  send_letter: { messageId: 'message-1' },
};
const calm: Results = (name) => answers[name];
const failing =
  (broken: string, error: object): Results =>
  (name) =>
    name === broken ? { error } : answers[name];

describe('the agent of the lab upstream', () => {
  it('classifies, looks up, pays back, writes, and says what was done', async () => {
    const turns = await talk({ ticket, results: calm });
    assert.deepEqual(namesOf(turns), ['classify_ticket', 'look_up_order', 'refund', 'send_letter']);
    assert.deepEqual(inputs(turns, 'refund'), [
      {
        orderId: 'ORD-1003',
        amountCents: 4_480,
        reason: 'Goods arrived damaged, wrong or incomplete.',
      },
    ]);
    const [letter] = inputs(turns, 'send_letter');
    assert.equal(letter?.to, 'somebody@example.com');
    assert.match(String(letter?.text), /paying back 44\.80 € for ORD-1003/u);
    assert.equal(turns.at(-1)?.reason, 'stop');
    assert.equal(
      turns.at(-1)?.text,
      '44.80 € were paid back for ORD-1003. The customer has got a letter.',
    );
  });

  it('calls only what it is offered', async () => {
    const tools = ['send_letter'] as const;
    const turns = await talk({ ticket, results: calm, tools });
    assert.deepEqual(namesOf(turns), ['send_letter']);
    assert.match(turns.at(-1)?.text ?? '', /^The refund for ORD-1003 was not made/u);
  });

  it('looks up in one turn all orders that a ticket names', async () => {
    const two = { ...ticket, body: 'When do ORD-1003 and ORD-1004 come?' };
    const tools = ['look_up_order', 'send_letter'] as const;
    const turns = await talk({ ticket: two, results: calm, tools });
    assert.deepEqual(
      turns.map(({ calls }) => calls.length),
      [2, 1, 0],
    );
  });

  it('answers in the language of the ticket', async () => {
    const german = { ...ticket, body: 'Bitte erstatten Sie mir die Bestellung ORD-1003.' };
    const turns = await talk({ ticket: german, results: calm });
    assert.match(turns.at(-1)?.text ?? '', /^Für ORD-1003 wurden 44\.80 € erstattet\./u);
  });

  const lost = { kind: 'exhausted', class: 'server', effectMayHaveHappened: false };
  const ends = [
    { broken: 'refund', error: lost, says: /^The refund for ORD-1003 was not made/u },
    { broken: 'refund', error: { kind: 'denied' }, says: /^The refund for ORD-1003 was not made/u },
    {
      broken: 'refund',
      error: { kind: 'unknown', effectMayHaveHappened: true },
      says: /^Whether 44\.80 € were paid back for ORD-1003 is not confirmed/u,
    },
    { broken: 'send_letter', error: lost, says: /No letter was sent/u },
    { broken: 'look_up_order', error: lost, says: /^The refund for ORD-1003 was not made/u },
  ];
  for (const { broken, error, says } of ends) {
    it(`says truthfully what is missing when ${broken} ends ${error.kind}`, async () => {
      const turns = await talk({ ticket, results: failing(broken, error) });
      assert.match(turns.at(-1)?.text ?? '', says);
      assert.equal(namesOf(turns).filter((name) => name === broken).length, 1);
      const [letter] = inputs(turns, 'send_letter');
      const promises = /paying back/u.test(String(letter?.text));
      assert.equal(promises, broken === 'send_letter');
    });
  }

  it('takes {success: false} for a failure', async () => {
    const results: Results = (name) => (name === 'refund' ? { success: false } : answers[name]);
    const turns = await talk({ ticket, results });
    assert.match(turns.at(-1)?.text ?? '', /was not made/u);
  });

  it('corrects a wrong call three times and then does without the tool', async () => {
    const results = failing('refund', {
      kind: 'bad-call',
      message: 'amountCents must be a number',
    });
    const turns = await talk({ ticket, results });
    assert.equal(namesOf(turns).filter((name) => name === 'refund').length, 3);
    assert.match(turns.at(-1)?.text ?? '', /was not made/u);
  });

  it('calls nothing where tool_choice forbids it', async () => {
    await withUpstream({}, async (upstream) => {
      const answer = await upstream.post('/v1/chat/completions', {
        model: 'lab',
        messages: [{ role: 'user', content: JSON.stringify(ticket) }],
        tools: wireTools(['refund', 'send_letter']),
        tool_choice: 'none',
      });
      const text = await answer.text();
      assert.match(text, /The refund for ORD-1003 was not made/u);
      assert.match(text, /"finish_reason":"stop"/u);
    });
  });

  it('streams its calls in pieces that add up to the arguments', async () => {
    await withUpstream({}, async (upstream) => {
      const answer = await upstream.post('/v1/chat/completions', {
        model: 'lab',
        messages: [{ role: 'user', content: JSON.stringify(ticket) }],
        tools: wireTools(['look_up_order']),
        stream: true,
      });
      const lines = (await answer.text())
        .split('\n\n')
        .filter((line) => line.startsWith('data: {'));
      const choices = lines.map((line) => JSON.parse(line.slice('data: '.length)).choices[0]);
      const deltas = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
      assert.equal(deltas[0].function.name, 'look_up_order');
      const json = deltas.map((delta) => delta.function.arguments).join('');
      assert.deepEqual(JSON.parse(json), { orderId: 'ORD-1003' });
      assert.equal(choices.at(-1).finish_reason, 'tool_calls');
    });
  });
});

async function talk(request: Parameters<typeof converse>[1]): Promise<readonly Turn[]> {
  let turns: readonly Turn[] = [];
  const tools = request.tools ?? ['classify_ticket', 'look_up_order', 'refund', 'send_letter'];
  await withUpstream({}, async (upstream) => {
    turns = await converse(upstream, { ...request, tools });
  });
  return turns;
}

function namesOf(turns: readonly Turn[]): readonly string[] {
  return turns.flatMap(({ calls }) => calls.map(({ name }) => name));
}

function inputs(
  turns: readonly Turn[],
  wanted: string,
): readonly Readonly<Record<string, unknown>>[] {
  const calls = turns.flatMap((turn) => turn.calls).filter(({ name }) => name === wanted);
  // The lab's model writes objects where nothing spoils its calls.
  return calls.map(({ json }) => JSON.parse(json) as Readonly<Record<string, unknown>>);
}
