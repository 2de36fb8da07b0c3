import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { testWebhook, triggerSample } from "../../../src/webhooks/send_test.ts";
import { EVENT_TYPES } from "../../../src/webhooks/rules/events.ts";
import { TooManyTries } from "../../../src/domain/refusal.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { ENVELOPES } from "../../../src/http/openapi/events.ts";
import { verifyWebhook, WebhookError } from "../../../src/sdk/mod.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { startGateway } from "../../support/gateway.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { makeWebhook } from "../../support/webhooks.ts";

const ENV = { CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };

Deno.test("a sample of each type is signed, has the event's fields, and can't be taken for money", async () => {
  await using gateway = await startGateway(ENV);
  await using receiver = startReceiver();
  const { deps } = gateway;
  const { id, secret } = await makeWebhook(deps, { url: receiver.url, eventTypes: [] });
  for (const type of EVENT_TYPES) {
    const { eventId, attempt } = await triggerSample(deps, { id, type, actor: "test" });
    assert.equal(attempt.error, null);
    const got = receiver.received.pop()!;
    verify(secret, got);
    const { data, sample } = ENVELOPES[type].strict().parse(got.event) as {
      data: Record<string, unknown>;
      sample?: boolean;
    };
    assert.match(got.id, /^evt_sample_[\w-]{24}$/);
    assert.deepEqual([got.event.id, got.event.type, sample], [got.id, type, true]);
    assert.equal(eventId, got.id);
    assert.equal(data.transaction_id ?? data.invoice_id ?? data.id, 0);
    await assert.rejects(verifyWebhook(got.body, got.headers, secret), WebhookError);
    const taken = await verifyWebhook(got.body, got.headers, secret, { acceptSamples: true });
    assert.deepEqual(taken, got.event);
  }
  assert.deepEqual(await deps.db.rows(Events, ""), []);
});

Deno.test("an account may test its webhooks 20 times a minute, and nobody else's are affected", async () => {
  await using gateway = await startGateway(ENV);
  await using receiver = startReceiver();
  const { deps } = gateway;
  const mine = await makeWebhook(deps, { url: receiver.url });
  const theirs = await makeWebhook(deps, { url: receiver.url });
  const order = ({ id, accountId }: typeof mine) => ({ id, accountId, actor: "test" });
  const type = "deposit.confirmed";
  for (let i = 0; i < 10; i++) {
    await testWebhook(deps, order(mine));
    await triggerSample(deps, { ...order(mine), type });
  }
  for (
    const one of [testWebhook(deps, order(mine)), triggerSample(deps, { ...order(mine), type })]
  ) {
    await assert.rejects(
      one,
      (error) => error instanceof TooManyTries && error.retryAfterS > 0 && error.retryAfterS <= 3,
    );
  }
  assert.equal(receiver.received.length, 20);
  await testWebhook(deps, order(theirs));
  await testWebhook(deps, { id: mine.id, actor: "cli" });
  assert.equal(receiver.received.length, 22);
});

Deno.test("nobody sends a sample to another account's webhook", async () => {
  await using gateway = await startGateway(ENV);
  await using receiver = startReceiver();
  const { deps } = gateway;
  const { id } = await makeWebhook(deps, { url: receiver.url });
  const { id: accountId } = await createAccount(deps, { name: "Other", actor: "test" });
  const order = { id, accountId, actor: "test", type: "deposit.confirmed" } as const;
  await assert.rejects(triggerSample(deps, order), ActionRefused);
  assert.deepEqual(receiver.received, []);
});
