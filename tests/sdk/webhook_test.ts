import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { verifyWebhook, WebhookError } from "../../src/sdk/mod.ts";

const SECRET = `whsec_${btoa("a secret of thirty-two bytes....")}`;
const EVENT = {
  id: "evt_1",
  type: "deposit.confirmed",
  timestamp: "2026-01-31T12:00:00+00:00",
  data: { transaction_id: 1 },
};

function signed(event: object, { secret = SECRET, atS = Date.now() / 1000 } = {}) {
  const body = JSON.stringify(event);
  const signature = new Webhook(secret).sign("evt_1", new Date(atS * 1000), body);
  const headers = {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(atS)),
    "webhook-signature": signature,
  };
  return { body, headers };
}

const refused = (promise: Promise<unknown>) => assert.rejects(promise, WebhookError);

Deno.test("a genuine webhook is verified, whatever form body and headers have", async () => {
  const { body, headers } = signed(EVENT);
  const capitals = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  for (const given of [headers, new Headers(headers), capitals]) {
    assert.deepEqual(await verifyWebhook(body, given, SECRET), EVENT);
    assert.deepEqual(await verifyWebhook(new TextEncoder().encode(body), given, SECRET), EVENT);
  }
});

Deno.test("while a secret is rotated, either of two signatures will do", async () => {
  const other = `whsec_${btoa("another secret of 32 bytes......")}`;
  const { body, headers } = signed(EVENT);
  const both = `${signed(EVENT, { secret: other }).headers["webhook-signature"]} ${
    headers["webhook-signature"]
  }`;
  assert.deepEqual(
    await verifyWebhook(body, { ...headers, "webhook-signature": both }, SECRET),
    EVENT,
  );
});

Deno.test("a webhook that was changed, is old, or lacks a header is refused", async () => {
  const { body, headers } = signed(EVENT);
  const nowS = Date.now() / 1000;
  await refused(verifyWebhook(`${body} `, headers, SECRET));
  await refused(verifyWebhook(body, headers, `whsec_${btoa("x".repeat(32))}`));
  await refused(verifyWebhook(body, headers, "no secret"));
  await refused(verifyWebhook(body, { ...headers, "webhook-id": "evt_2" }, SECRET));
  await refused(verifyWebhook(body, { ...headers, "webhook-signature": "v1,%%%" }, SECRET));
  await refused(verifyWebhook(body, { ...headers, "webhook-timestamp": "soon" }, SECRET));
  for (const name of Object.keys(headers)) {
    await refused(verifyWebhook(body, { ...headers, [name]: undefined }, SECRET));
  }
  for (const atS of [nowS - 310, nowS + 310]) {
    const old = signed(EVENT, { atS });
    await refused(verifyWebhook(old.body, old.headers, SECRET));
    await verifyWebhook(old.body, old.headers, SECRET, { toleranceS: 400 });
  }
});

Deno.test("a sample event is refused unless samples are accepted", async () => {
  const { body, headers } = signed({ ...EVENT, sample: true });
  await refused(verifyWebhook(body, headers, SECRET));
  const event = await verifyWebhook(body, headers, SECRET, { acceptSamples: true });
  assert.equal(event.type, "deposit.confirmed");
});
