import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { recordEvent } from "../../src/books/records.ts";
import { PERMISSIONS } from "../../src/access/rules/permissions.ts";
import { sampleData } from "../../src/webhooks/rules/sample_events.ts";
import { type Endpoint, permissionsOf } from "../../src/http/endpoint.ts";
import { ENDPOINTS } from "../../src/http/endpoints.ts";
import { Events } from "../../src/webhooks/tables/events.ts";
import { enable, makeNetwork, type Merchant } from "../support/gateway.ts";
import { makeWebhook } from "../support/webhooks.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";
import { assertInvalid, assertNotAnObject, assertRefused } from "./withdrawals/refusals.ts";

const gateway = await startClockedGateway({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
const merchant = await makeClockedMerchant(gateway);

const NO_IDS = ["0", "999999999", "-1", "1.0", "1e3", "x", "evt_none", "9".repeat(30)];

type Ids = Readonly<Record<string, string | number>>;

/** An account's record for each parameter of a path. */
async function makeRecords({ accountId, api }: Merchant): Promise<Ids> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
  const order = { network: "ETH", currency: "ETH" };
  const requested = await api.post("/v1/deposit-addresses", order);
  const to_address = `0x${"1".repeat(40)}`;
  const paid = await api.post("/v1/withdrawals", { ...order, to_address, amount: "1" });
  const invoice = await api.post("/v1/invoices", { amount: "1", currency: "ETH" });
  const link = await api.post("/v1/payment-links", { title: "Tea", currency: "ETH" });
  const webhook = await makeWebhook(deps, { url: DEAD_NODE, accountId });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const data = sampleData("deposit.confirmed", nowMs) as Record<string, unknown>;
      recordEvent(view, { accountId, type: "deposit.confirmed", data, nowMs });
    },
  });
  const [event] = await deps.db.list(Events, { accountId, type: "deposit.confirmed" });
  return {
    request_id: requested.body.data.request_id,
    withdrawal_id: paid.body.data.id,
    webhook_id: webhook.id,
    event_id: event!.eventId,
    invoice_id: invoice.body.data.invoice_id,
    payment_link_id: link.body.data.payment_link_id,
  };
}

function ask(
  { api }: Merchant,
  { method, path, example }: Endpoint,
  { ids = example.path ?? {}, query = {}, body = example.body }: {
    ids?: Ids;
    query?: Readonly<Record<string, string>>;
    body?: object | string | undefined;
  } = {},
) {
  const parameters = { ...example.query, ...query };
  const texts = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    assert.ok(name in ids, `makeRecords makes no ${name}`);
    return String(ids[name]);
  });
  const sent = typeof body === "object" ? JSON.stringify(body) : body;
  return api.send({
    method,
    target: `${filled}?${new URLSearchParams(texts)}`,
    ...sent === undefined ? {} : { body: sent },
  });
}

function misspelt(name: string): string {
  return `${name.slice(0, 2)}${name.slice(3)}`;
}

for (const endpoint of ENDPOINTS) {
  const { method, path, query, body, isStrict, example } = endpoint;
  const name = `${method} ${path}`;
  const needed = permissionsOf(endpoint);

  for (const permission of needed) {
    Deno.test(`${name}: without ${permission} it is a 403, whatever is asked for`, async () => {
      const permissions = PERMISSIONS.filter((one) => one !== permission);
      const weak = await makeClockedMerchant(gateway, { permissions });
      const bodies = method === "GET" ? [] : [{ body: "[" }, { body: { x: 1 } }];
      for (const call of [{}, { query: { x: "1" } }, ...bodies]) {
        const reply = await ask(weak, endpoint, call);
        assertRefused(reply, "permission_denied", `Missing permission: ${permission}`);
      }
      const enough = await makeClockedMerchant(gateway, { permissions: needed });
      assert.notEqual((await ask(enough, endpoint)).body.error?.code, "permission_denied");
    });
  }

  if (path.includes("{")) {
    Deno.test(`${name}: another account's record is a 404, like one that doesn't exist`, async () => {
      const owner = await makeClockedMerchant(gateway);
      const ids = await makeRecords(owner);
      assertRefused(await ask(merchant, endpoint, { ids }), "not_found");
      for (const id of NO_IDS) {
        const none = Object.fromEntries(Object.keys(ids).map((one) => [one, id]));
        assertRefused(await ask(owner, endpoint, { ids: none }), "not_found");
      }
      const found = await ask(owner, endpoint, { ids });
      // Nothing has been paid that could be accepted or refunded.
      const code = /\/refund(s|-links)$/.test(path) ? "refund_too_high" : "invoice_final";
      const isUnpaid = /\/(accept|refunds|refund-links)$/.test(path);
      const isRefused = isUnpaid && found.body.error?.code === code;
      assert.ok(found.status === 200 || isRefused, JSON.stringify(found.body));
    });
  }

  if (body) {
    Deno.test(`${name}: a field of the wrong kind or missing is a 422 that names it`, async () => {
      for (const field of Object.keys(body.shape)) {
        const wrong = { ...example.body, [field]: { x: 1 } };
        assertInvalid(await ask(merchant, endpoint, { body: wrong }), [field]);
      }
      const required = Object.entries(body.shape)
        .flatMap(([field, schema]) => schema.safeParse(undefined).success ? [] : [field]);
      if (required.length > 0) {
        assertInvalid(await ask(merchant, endpoint, { body: {} }), required);
      }
      for (const text of ["[]", '"x"', "1", "null", "{", "{}x"]) {
        assertNotAnObject(await ask(merchant, endpoint, { body: text }));
      }
    });
  }

  if (isStrict) {
    Deno.test(`${name}: an unknown name is a 422 with the right one, before any 404`, async () => {
      assertInvalid(await ask(merchant, endpoint, { query: { quark: "1" } }), ["quark"]);
      for (const right of Object.keys(query?.shape ?? {})) {
        const reply = await ask(merchant, endpoint, { query: { [misspelt(right)]: "1" } });
        assertInvalid(reply, [misspelt(right)]);
        const [{ message }] = reply.body.error.fields;
        assert.equal(message, `Unknown parameter; did you mean ${right}?`);
      }
      if (method === "GET") return;
      const more = { ...example.body, quark: 1 };
      assertInvalid(await ask(merchant, endpoint, { body: more }), ["quark"]);
      for (const right of Object.keys(body?.shape ?? {})) {
        const wrong = { ...example.body, [misspelt(right)]: 1 };
        const reply = await ask(merchant, endpoint, { body: wrong });
        assertInvalid(reply, [misspelt(right)]);
        const [{ message }] = reply.body.error.fields;
        assert.equal(message, `Unknown field; did you mean ${right}?`);
      }
    });
  }
}
