import assert from "node:assert/strict";
import { alertsOf, allocate, withdraw } from "../../support/views.ts";
import { lookAtWallets } from "../../../src/wallets/look.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { TamperedRow } from "../../../src/store/engine/tampered_row.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { WebhookAttempts } from "../../../src/webhooks/tables/webhooks.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";
import { whyNotPayableNow } from "../../../src/withdrawals/payable_now.ts";
import { runIn } from "../../cli/world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { startReceiver } from "../../support/programs/receiver.ts";
import { payIn } from "../../support/sweeping.ts";
import type { World } from "../../support/world.ts";

const THIEF = "0x000000000000000000000000000000000000dEaD";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

const FORGED_EVENTS: Readonly<Record<string, (webhookId: number) => string[]>> = {
  "one that was put in": () => [
    `INSERT INTO events (event_id, account_id, type, payload, created_at_ms)
VALUES ('evt_forged', 1, 'deposit.confirmed', '{"id":"evt_forged"}', 1)`,
  ],
  "one that says something else": () => [
    "UPDATE events SET payload = json_set(payload, '$.data.amount_decimal', '900')",
    "UPDATE webhook_deliveries SET state = 'pending', next_try_at_ms = 0",
  ],
  "one of another account": (webhookId) => [
    `INSERT INTO webhook_deliveries (event_id, endpoint_id, state, attempts, next_try_at_ms)
SELECT id, ${webhookId}, 'pending', 0, 0 FROM events WHERE account_id = 2`,
  ],
  "one of another account, to which the webhook was moved": (webhookId) => [
    `UPDATE webhook_endpoints SET account_id = 2`,
    `INSERT INTO webhook_deliveries (event_id, endpoint_id, state, attempts, next_try_at_ms)
SELECT id, ${webhookId}, 'pending', 0, 0 FROM events WHERE account_id = 2`,
  ],
};

for (const [what, forge] of Object.entries(FORGED_EVENTS)) {
  Deno.test(`no webhook gets an event that this gateway didn't write for it: ${what}`, async () => {
    await using receiver = startReceiver();
    await using gateway = await startGateway({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
    const { deps } = gateway;
    const { id, accountId } = await makeWebhook(deps, { url: receiver.url });
    const other = await createAccount(deps, { name: "Other", actor: "test" });
    await writeEvents(deps, { accountIds: [accountId, other.id] });
    const settled = (count: number) =>
      eventually(() => deps.db.rows(WebhookAttempts, "ORDER BY id"), {
        until: (rows) => rows.length >= count,
      });
    await settled(1);
    assert.equal(receiver.received.length, 1);
    await deps.db.execute(forge(id).map((text) => ({ sql: text })));
    await eventually(() => alertsOf(deps), { until: (rows) => rows.length > 0 });
    assert.deepEqual([...new Set((await alertsOf(deps)).map(({ kind }) => kind))], ["tampered"]);
    assert.equal(receiver.received.length, 1);
  });
}

Deno.test("nobody sees an address, deposit, balance or payment that somebody wrote to the database", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const order = { currency: "ETH", network: "ETH", idempotency_key: "k" };
  const first = (await api.post("/v1/deposit-addresses", order)).body.data;
  await payIn(world, { to: first.address, raw: ETHER });
  await settleAll(world);
  const paid = { to: STRANGER, amount: "1", reference: "w" };
  const withdrawalId = sentId(await withdraw(api, paid));
  const asked: readonly [string, string][] = [
    ["addresses", "/v1/hot-wallet-address?network=ETH"],
    ["deposit_requests", `/v1/deposit-requests/${first.request_id}`],
    ["transactions", "/v1/transactions?direction=deposit"],
    ["balances", "/v1/balances"],
    ["withdrawals", `/v1/withdrawals/${withdrawalId}`],
  ];
  for (const [, path] of asked) assert.equal((await api.get(path)).status, 200, path);
  await sql(
    world,
    `UPDATE addresses SET address = '${THIEF}' WHERE purpose = 'hot'`,
    `UPDATE deposit_requests SET address = '${THIEF}'`,
    "UPDATE transactions SET amount = '900' WHERE direction = 'deposit'",
    "UPDATE balances SET balance = '900'",
    "UPDATE withdrawals SET amount = '900'",
  );
  for (const [table, path] of asked) {
    assert.equal((await api.get(path)).status, 503, path);
    const reported = (await alertsOf(world.deps)).map(({ subject }) => subject);
    assert.ok(reported.some((subject) => subject.startsWith(`account:1 ${table}:`)), table);
  }
  assert.equal((await api.post("/v1/deposit-addresses", order)).status, 503);
  assert.equal((await withdraw(api, paid)).status, 503);
});

Deno.test("a payment isn't listed under a request that somebody wrote to the database", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await sql(
    world,
    `INSERT INTO deposit_requests (account_id, key_id, network, currency, address_id, address,
  display_expires_at_ms, monitored_until_ms, created_at_ms)
SELECT account_id, key_id, network, currency, address_id, address, display_expires_at_ms,
  monitored_until_ms, created_at_ms
FROM deposit_requests`,
    "UPDATE deposit_requests SET created_at_ms = created_at_ms - 9000000 WHERE id = 1",
  );
  await payIn(world, { to: address, raw: ETHER });
  await settleAll(world);
  const rows = await world.deps.db.rows(Transactions, "WHERE direction = 'deposit'");
  assert.deepEqual(rows.map(({ depositRequestId }) => depositRequestId), [null]);
});

Deno.test("a pool address that a customer may still pay to is given to nobody else", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { accountId, api } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const first = await allocate(api);
  await deps.db.execute([{
    sql: "UPDATE addresses SET reusable_at_ms = 0 WHERE purpose = 'deposit'",
  }]);
  assert.notEqual((await allocate(api)).address, first.address);
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), ["tampered"]);
});

Deno.test("nobody sees a wallet to send money to that somebody wrote to the database", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  const order = { network: "ETH", actor: "test" };
  await gasWallet(deps, order);
  const looks = async () => {
    const rows = await deps.db.rows(Addresses, "WHERE purpose <> 'deposit'");
    return (await lookAtWallets(deps, { rows, waitMs: 1_000 })).map(({ row }) => row.address);
  };
  const listed = async () => (await runIn(world, ["wallet", "list", "--json"])).out;
  const { hotWallet } = world.merchant;
  assert.equal((await looks()).length, 2);
  assert.match(await listed(), new RegExp(hotWallet));
  await sql(world, `UPDATE addresses SET address = substr('${THIEF}', 1, 41) || id`);
  assert.deepEqual(await looks(), []);
  assert.doesNotMatch(await listed(), /0x/);
  await assert.rejects(gasWallet(deps, order), TamperedRow);
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await assert.rejects(enable(deps, asset), TamperedRow);
  const payout = { ...asset, toAddress: STRANGER, amount: "500" };
  const text = "Nothing is paid until the operator has checked an alert";
  assert.deepEqual(await whyNotPayableNow(deps, payout), { code: "cannot_pay", text });
});
