import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { completeChat } from '../../src/lab/upstream/index.js';
import { projectFile } from '../support/root.js';

const folder = projectFile('examples', 'support-agent', 'tickets');
const ticketSchema = z.strictObject({
  id: z.string(),
  from: z.email().endsWith('@example.com'),
  subject: z.string(),
  body: z.string().min(1),
  language: z.enum(['en', 'de', 'fr', 'es', 'zh']),
});
const files = readdirSync(folder).sort();
const tickets = files.map((file) =>
  ticketSchema.parse(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8'))),
);
const classified = tickets.map((ticket) => {
  const content = JSON.stringify({ subject: ticket.subject, body: ticket.body });
  const messages = [
    { role: 'system', content: 'task: classify' },
    { role: 'user', content },
  ];
  return z
    .object({ intent: z.string(), language: z.string() })
    .parse(JSON.parse(completeChat(messages).content));
});

describe('the tickets of the support agent', () => {
  it('are at least 24, each with the id that its file name begins with', () => {
    assert.ok(tickets.length >= 24);
    const ids = files.map((file) => `ticket-${file.slice(0, 2)}`);
    assert.deepEqual(
      tickets.map(({ id }) => id),
      ids,
    );
  });

  it('are seen in their own language by the model', () => {
    assert.deepEqual(
      classified.map(({ language }) => language),
      tickets.map(({ language }) => language),
    );
  });

  it('cover every intent', () => {
    const intents = new Set(classified.map(({ intent }) => intent));
    assert.deepEqual([...intents].sort(), [
      'complaint',
      'impossible',
      'other',
      'question',
      'refund',
    ]);
  });

  it('hold one of more than 2,500 words and one of almost none', () => {
    const counts = tickets.map(({ body }) => body.split(/\s+/u).length);
    assert.ok(Math.max(...counts) > 2_500);
    assert.ok(tickets.some(({ body }) => body.length < 5));
  });
});
