import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { AccountCurrencies } from "../../../src/accounts/tables/accounts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { DEAD_NODE } from "../clocked_gateway.ts";
import {
  COST_OF_ONE,
  ETHER,
  freshRecipient,
  isStatusShape,
  makePayer,
  nonceOf,
  type Payer,
  receivedBy,
  settle,
  statusRead,
  submittedId,
} from "./_paying.ts";
import { assertRefused, type RefusalCode } from "./refusals.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";
import { noteTest } from "../../support/stage.ts";
import { eventsOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";
import { keccak256 } from "viem/utils";

const SEND = "eth_sendRawTransaction";
const TEN = { balance: "10", held: "0", available: "10" };

const anvil = await startAnvil();
const proxy = await startFaultProxy(anvil.url, () => "pass");
const world = await startWorld({ anvil, rpcUrls: [proxy.url], env: { CPG_WORKER: "false" } });
const { deps } = world;
const token = await world.addToken();
const rejector = await deploy(anvil, { name: "Rejector" });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await anvil.stop();
});

/** The proxy does this to every broadcast until the work is done. */
async function whileSending<T>(fault: Fault, work: () => Promise<T>): Promise<T> {
  proxy.onCall = (method) => method === SEND ? fault : "pass";
  try {
    return await work();
  } finally {
    proxy.onCall = () => "pass";
  }
}

const says = (message: string): Fault => ({
  edit: ({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32000, message } }),
});

/** Answers this without having taken the bytes. */
const refuses = (message: string): Fault => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message } }),
});

function hashesOffered(): string[] {
  return proxy.bodies.flat().filter(({ method }) => method === SEND)
    .map(({ params }) => keccak256(params[0] as `0x${string}`));
}

/** The row of the 502, everything about it checked. */
async function assertFailed(
  { payer, reply, reference, code, reason }: {
    payer: Payer;
    reply: ApiReply;
    reference: string;
    code: RefusalCode;
    reason: string;
  },
): Promise<void> {
  assertRefused(reply, code);
  const { data } = reply.body;
  assert.ok(isStatusShape(data), JSON.stringify(data));
  assert.equal(data.status, "failed");
  assert.ok(typeof data.error_message === "string" && data.error_message.length > 0);
  assert.deepEqual([data.broadcast_at, data.confirmed_at], [null, null]);
  assert.deepEqual(statusRead(await payer.api.get(`/v1/withdrawals/${data.id}`)), data);
  const replay = await payer.withdraw({ client_reference: reference });
  assert.deepEqual(statusRead(replay), data);
  const { held, available, balance } = await payer.balance();
  assert.deepEqual([held, available], ["0", balance]);
  const events = (await eventsOf(deps, "withdrawal.failed")).filter(({ id }) => id === data.id);
  assert.deepEqual(events, [{ ...data, client_reference: reference, reason }]);
}

interface Certain {
  readonly what: string;
  readonly coins?: bigint;
  readonly tokens?: bigint;
  readonly order?: () => Record<string, unknown>;
  readonly fault?: Fault;
}

const usdt = () => ({ currency: "USDT", amount: "5" });
const CERTAIN: readonly Certain[] = [
  { what: "the hot wallet is empty", coins: 0n },
  { what: "the hot wallet has the amount but no gas for it", coins: 1n },
  { what: "the hot wallet lacks gas for a token", coins: 0n, tokens: 9_000_000n, order: usdt },
  { what: "the hot wallet lacks the tokens", tokens: 4_999_999n, order: usdt },
  { what: "the call reverts", order: () => ({ to_address: rejector.address }) },
  { what: "every endpoint refuses the bytes", fault: refuses("intrinsic gas too low") },
  { what: "the node calls the fee too low", fault: refuses("transaction underpriced") },
];

for (const { what, coins = 1000n, tokens = 0n, order = () => ({}), fault = "pass" } of CERTAIN) {
  Deno.test(`spec 7, contract 1: 502 if ${what}: row failed, hold released, withdrawal.failed`, async () => {
    const payer = await makePayer({ world, balance: "10", coins });
    const { accountId, hotWallet } = payer;
    const asset = { accountId, network: "ETH", currency: "USDT" };
    await enable(deps, asset);
    await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
    await token.send("mint", [hotWallet, tokens]);
    const reference = crypto.randomUUID();
    const reply = await whileSending(
      fault,
      () => payer.withdraw({ client_reference: reference, ...order() }),
    );
    const code = "broadcast_rejected";
    await assertFailed({ payer, reply, reference, code, reason: code });
    await settle(world);
    assert.equal(await nonceOf(anvil, hotWallet), 0);
    assert.equal(
      statusRead(await payer.withdraw({ client_reference: reference })).status,
      "failed",
    );
    assert.deepEqual(await payer.balance(), TEN);
    const { body } = await payer.api.get("/v1/balances?currency=USDT");
    assert.deepEqual([body.data[0].balance, body.data[0].held], ["10", "0"]);
  });
}

Deno.test("contract 1: 502 at once if all endpoints refuse the connection", async () => {
  await makeNetwork(deps, { code: "DEAD", rpcUrls: [DEAD_NODE, `${DEAD_NODE}/2`] });
  const payer = await makePayer({ world, balance: "10" });
  const asset = { accountId: payer.accountId, network: "DEAD", currency: "ETH" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
  using stopwatch = startStopwatch();
  const reply = await payer.withdraw({ network: "DEAD", client_reference: "dead" });
  assert.ok(stopwatch.ms() < 2_000);
  const code = "broadcast_rejected";
  await assertFailed({ payer, reply, reference: "dead", code, reason: code });
});

Deno.test("spec 7, contract 1: without a hot wallet it is 502 and the row failed as no_hot_wallet", async () => {
  const { accountId, api } = await makeMerchant(world);
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
  // Enabled without the action that would have allocated the wallet.
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      const switches = {
        ...{ isDepositEnabled: true, isWithdrawalEnabled: true },
        ...{ isDepositBarred: false, isWithdrawalBarred: false },
      };
      view.insertKeyed(AccountCurrencies, { ...asset, ...switches });
    },
  });
  const reader = await makePayer({ world, balance: "10" });
  const withdraw: Payer["withdraw"] = (change = {}) =>
    api.post("/v1/withdrawals", {
      currency: "ETH",
      network: "ETH",
      to_address: freshRecipient(),
      amount: "1",
      ...change,
    });
  const balance = async () => (await api.get("/v1/balances")).body.data[0];
  const payer = { ...reader, accountId, api, withdraw, balance };
  const reply = await withdraw({ client_reference: "none" });
  const reason = "no_hot_wallet";
  await assertFailed({ payer, reply, reference: "none", code: "hot_wallet_missing", reason });
  assert.equal((await balance()).balance, "10");
});

Deno.test("spec 3.2: after a failed broadcast the money can be spent again, with a new reference", async () => {
  const payer = await makePayer({ world, balance: COST_OF_ONE });
  const fault = refuses("intrinsic gas too low");
  assertRefused(await whileSending(fault, () => payer.withdraw()), "broadcast_rejected");
  submittedId(await payer.withdraw());
  assertRefused(await payer.withdraw(), "insufficient_balance");
});

const UNKNOWN: Record<string, Fault> = {
  "the connection is lost after the node took the bytes": { drop: "after" },
  "the connection is lost before the node saw them": { drop: "before" },
  "a proxy answers 502 in the node's place": { status: 502, body: "bad gateway", forwarded: true },
  "the answer is no JSON": { status: 200, body: "<html>", forwarded: true },
  'the node says "already known"': says("already known"),
  'the node says "nonce too low" for these very bytes': says("nonce too low"),
};

for (const [what, fault] of Object.entries(UNKNOWN)) {
  Deno.test(`contract 1: the money counts as spent if ${what}: broadcasted, held and paid once`, async () => {
    const payer = await makePayer({ world, balance: "10" });
    const to_address = freshRecipient();
    const reply = await whileSending(fault, () => payer.withdraw({ to_address }));
    const id = submittedId(reply);
    const { tx_hash } = reply.body.data;
    assert.equal(hashesOffered().at(-1), tx_hash);
    assert.deepEqual(await payer.balance(), { balance: "10", held: "1.0051", available: "8.9949" });
    await world.round({ aheadMs: 60_000 * (Object.keys(UNKNOWN).indexOf(what) + 1) });
    await settle(world);
    const row = statusRead(await payer.api.get(`/v1/withdrawals/${id}`));
    assert.deepEqual([row.status, row.tx_hash], ["confirmed", tx_hash]);
    assert.equal(await receivedBy(anvil, to_address), ETHER);
    assert.equal(await nonceOf(anvil, payer.hotWallet), 1);
    assert.equal((await payer.balance()).balance, "8.9949");
  });
}

Deno.test("contract 1: one endpoint that accepts the bytes is enough, whatever the others say", async () => {
  await makeNetwork(deps, { code: "TWO", rpcUrls: [proxy.url, anvil.url, DEAD_NODE] });
  const payer = await makePayer({ world, balance: "10" });
  const asset = { accountId: payer.accountId, network: "TWO", currency: "ETH" };
  const hotWallet = await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
  await anvil.rpc("anvil_setBalance", [hotWallet, `0x${(10n * ETHER).toString(16)}`]);
  const to_address = freshRecipient();
  const fault = refuses("intrinsic gas too low");
  submittedId(await whileSending(fault, () => payer.withdraw({ network: "TWO", to_address })));
  assert.equal(await receivedBy(anvil, to_address), ETHER);
});

Deno.test("contract 1: an inactive network accepts no writes, and finishes what is in flight", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const id = submittedId(await payer.withdraw());
  const set = (isActive: boolean) =>
    setNetwork(deps, { code: "ETH", change: { isActive }, actor: "test" });
  await set(false);
  try {
    assertRefused(await payer.withdraw(), "network_not_found");
    await settle(world);
    const row = statusRead(await payer.api.get(`/v1/withdrawals/${id}`));
    assert.equal(row.status, "confirmed");
    assert.equal((await payer.balance()).balance, "8.9949");
  } finally {
    await set(true);
  }
});

Deno.test("contract 1: with a silent node a sent payment is broadcasted, an unsigned one 502, within 10 s", async () => {
  const silent = ["eth_sendRawTransaction", "eth_estimateGas"];
  const doubles = await Promise.all(
    silent.map((method) =>
      startNodeDouble(
        anvil.url,
        (call, ask) => call.method === method ? Promise.resolve(NEVER) : ask(),
      )
    ),
  );
  const payer = await makePayer({ world, balance: "10" });
  const timed = await Promise.all(doubles.map(async ({ url }, i) => {
    const network = `SILENT${i}`;
    await makeNetwork(deps, { code: network, rpcUrls: [url] });
    const asset = { accountId: payer.accountId, network, currency: "ETH" };
    const hotWallet = await enable(deps, asset);
    await adjustBalance(deps, { ...asset, amount: "10", note: "", actor: "test" });
    await anvil.rpc("anvil_setBalance", [hotWallet, `0x${(10n * ETHER).toString(16)}`]);
    using stopwatch = startStopwatch();
    const reply = await payer.withdraw({ network });
    const ms = stopwatch.ms();
    const { body } = await payer.api.get(`/v1/balances?network=${network}`);
    return { reply, ms, held: body.data[0].held };
  }));
  for (const double of doubles) await double[Symbol.asyncDispose]();
  const [sent, unsigned] = timed;
  submittedId(sent!.reply);
  assert.equal(sent!.held, COST_OF_ONE);
  assertRefused(unsigned!.reply, "broadcast_rejected");
  assert.equal(unsigned!.held, "0");
  for (const { ms } of timed) assert.ok(ms < 10_000, `${ms} ms`);
});
