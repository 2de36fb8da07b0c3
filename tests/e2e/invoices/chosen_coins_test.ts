import assert from "node:assert/strict";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { openAlertsOf } from "../../../src/notifications/reads/notices.ts";
import { DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { enable } from "../../support/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { eventsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const ETH = { network: "ETH", currency: "ETH" };
const USDT = { network: "ETH", currency: "USDT" };

async function priced(world: World): Promise<void> {
  const source = { quote: "USD", kind: "manual", actor: "test" } as const;
  await addSource(world.deps, { ...source, base: "ETH", value: "2000" });
  await addSource(world.deps, { ...source, base: "USDT", value: "1" });
}

interface Method {
  readonly currency: string;
  readonly address: string | null;
  readonly payment_uri: string | null;
  readonly deposit_request_id: number | null;
}

function chosen(methods: readonly Method[]) {
  return Object.fromEntries(methods.map((one) => [one.currency, one]));
}

async function seen(world: World): Promise<void> {
  await world.anvil.mine(3);
  await world.round();
  await judgeDue(world.deps);
}

Deno.test("only a chosen coin has an address, and each has a deposit request in its currency", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { api, accountId } } = world;
  const token = await world.addToken();
  await priced(world);
  const first = await api.post("/v1/invoices", { amount: "20", currency: "USD", method: USDT });
  const { invoice_id: id, methods } = first.body.data;
  const one = chosen(methods);
  assert.match(one.USDT!.address!, /^0x/);
  const none = { address: null, payment_uri: null, deposit_request_id: null };
  const { address, payment_uri, deposit_request_id } = one.ETH!;
  assert.deepEqual({ address, payment_uri, deposit_request_id }, none);
  const page = first.body.data.url.replace(deps.publicUrl, world.url);
  const pageHas = async (coin: string) =>
    (await (await fetch(`${page}?coin=ETH.${coin}`)).text()).includes(one.USDT!.address!);
  assert.deepEqual([await pageHas("USDT"), await pageHas("ETH")], [true, false]);

  const choose = (coin: object) => api.post(`/v1/invoices/${id}/methods`, coin);
  // At once, and again: there is one request for each.
  const answers = await Promise.all([
    choose(ETH),
    choose({ ...ETH, currency: "eth" }),
    choose(USDT),
  ]);
  for (const { status } of answers) assert.equal(status, 200);
  const both = chosen((await choose(ETH)).body.data.methods);
  assert.equal(both.ETH!.address, one.USDT!.address);
  assert.match(both.ETH!.payment_uri!, /^ethereum:/);
  assert.equal(both.USDT!.deposit_request_id, one.USDT!.deposit_request_id);
  assert.notEqual(both.ETH!.deposit_request_id, both.USDT!.deposit_request_id);
  assert.deepEqual([await pageHas("USDT"), await pageHas("ETH")], [true, true]);
  const requestOf = async (currency: string) =>
    (await api.get(`/v1/deposit-requests/${both[currency]!.deposit_request_id}`)).body.data;
  for (const currency of ["ETH", "USDT"]) {
    const request = await requestOf(currency);
    assert.deepEqual([request.currency, request.address], [currency, one.USDT!.address]);
    assert.deepEqual([request.status, request.transactions], ["active", []]);
  }
  assert.equal((await deps.db.list(DepositRequests, { accountId })).length, 2);

  await token.send("mint", [one.USDT!.address!, 5_000_000n]);
  await sendTx(anvil, { to: one.USDT!.address!, valueRaw: 10n ** 15n });
  await seen(world);
  await sendTx(anvil, { to: one.USDT!.address!, valueRaw: 2n * 10n ** 15n });
  await seen(world);
  const amounts = async (currency: string) =>
    (await requestOf(currency)).transactions
      .map((paid: { amount_decimal: string }) => paid.amount_decimal);
  assert.deepEqual([await amounts("USDT"), await amounts("ETH")], [["5"], ["0.001", "0.002"]]);
  assert.equal((await requestOf("ETH")).status, "settled");
  const invoice = (await api.get(`/v1/invoices/${id}`)).body.data;
  assert.deepEqual([invoice.paid, invoice.confirmed], ["11", "11"]);
  assert.deepEqual(await openAlertsOf(deps.db, "deposit_unlisted"), []);
  const told = (await eventsOf(deps, "deposit.confirmed")).map((data) => data.request_id);
  const { USDT: usdt, ETH: eth } = both;
  assert.deepEqual(
    told.toSorted(),
    [usdt, eth, eth].map((method) => method!.deposit_request_id).toSorted(),
  );

  // More time is for all of them.
  const ends = async () =>
    (await deps.db.list(DepositRequests, { accountId })).map((row) => row.monitoredUntilMs);
  const before = await ends();
  assert.equal((await api.post(`/v1/invoices/${id}/extend`, { expires_in: 86_400 })).status, 200);
  const after = await ends();
  assert.equal(new Set(after).size, 1);
  assert.ok(after[0]! > Math.max(...before));
});

Deno.test("a coin that is no longer enabled gets no request, and one that has its request keeps it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { api, accountId } } = world;
  await world.addToken();
  await priced(world);
  const { body: { data } } = await api.post("/v1/invoices", {
    ...{ amount: "20", currency: "USD", method: ETH },
  });
  for (const asset of [ETH, USDT]) await enable(deps, { accountId, ...asset, deposit: false });
  const target = `/v1/invoices/${data.invoice_id}/methods`;
  assert.equal((await api.post(target, USDT)).body.error.code, "deposits_disabled");
  const kept = await api.post(target, ETH);
  assert.equal(chosen(kept.body.data.methods).ETH!.address, chosen(data.methods).ETH!.address);
  assert.equal(chosen(kept.body.data.methods).USDT!.address, null);
});
