import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../support/chromium.js';
import { type PeopleRig, startPeopleRig, waitingOf } from '../support/people-rig.js';
import type { Paid } from '../workflows/fixture/people-workflows.js';

const missing = await findChromium().then(
  () => undefined,
  (error: Error) => error.message,
);
const patienceMs = 60_000;

describe('the Temporal UI of a run that waits for a person', { skip: missing ?? false }, () => {
  let rig: PeopleRig;
  let browser: Browser;

  before(async () => {
    rig = await startPeopleRig();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await rig?.stop();
  });

  it('shows what the update is for, and approves the call by it', async (t) => {
    const payments = [{ orderId: 'A', amountCents: 20_000 }];
    const handle = await rig.start('pays', { payments });
    const [{ callId, fingerprint }] = await waitingOf(handle, 'approvals');
    const page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
    t.after(() => page.close());
    page.setDefaultTimeout(patienceMs);
    await page.goto(`${rig.uiUrl}/namespaces/default/workflows/${handle.workflowId}`);
    const decision = { callId, fingerprint, approve: true, by: 'Ada' };
    const described = await sendUpdate(page, 'holdfast.decide', decision);
    assert.match(described, /Allow or refuse a call: \{"callId", "fingerprint", "approve", "by"/);
    const { outcomes }: Paid = await handle.result();
    assert.equal(outcomes[0]?.kind, 'ok');
  });
});

/** Sends an update by the menu More Actions; returns what the menu says of it. */
async function sendUpdate(page: Page, name: string, argument: object): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Send an Update' });
  await page.getByRole('button', { name: 'More Actions' }).click();
  await page.getByRole('menuitem', { name: 'Send an Update' }).click();
  await dialog.getByTestId('update-select-button').click();
  const option = dialog.getByRole('option', { name });
  const described = await option.textContent();
  await option.click();
  await dialog.getByRole('textbox', { name: 'Data' }).fill(JSON.stringify(argument, null, 2));
  await dialog.getByRole('button', { name: 'Submit' }).click();
  await dialog.waitFor({ state: 'hidden' });
  return described ?? '';
}
