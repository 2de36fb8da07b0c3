import assert from "node:assert/strict";
import { sleep, systemClock } from "../../../../src/base/clock.ts";
import type { Preflight } from "../../../../src/chains/transfer.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { NEVER, startNodeDouble } from "../../../support/nodes/node_double.ts";

const ESTIMATE = "eth_estimateGas";
const ETHER = 10n ** 18n;

let anvil: Anvil;
let rejector: Contract;
const wallet = makeWallet(1);
const other = makeWallet(2);
const to = makeWallet(3).address;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  await fund(anvil, wallet.address);
  await fund(anvil, other.address);
  rejector = await deploy(anvil, { name: "Rejector" });
});
Deno.test.afterAll(() => anvil.stop());

interface Order {
  readonly from?: string;
  readonly to?: string;
  readonly contract?: string;
  readonly amountRaw?: bigint;
}

/** The results of payments that are tried at the same moment. */
async function tryAll(url: string, orders: readonly Order[], patienceMs?: number) {
  const wait = (ms: number, signal?: AbortSignal) => sleep(Math.min(ms, patienceMs ?? ms), signal);
  const chain = connectEvm({ rpcUrls: [url], waiting: { clock: systemClock, sleep: wait } });
  const plain = { from: wallet.address, to, contract: null, amountRaw: 5n };
  return await Promise.allSettled(
    orders.map((order) => chain.prepareTransfer({ ...plain, ...order })),
  );
}

function reported(results: readonly PromiseSettledResult<Preflight>[]): string[] {
  return results.map((one) => {
    if (one.status === "rejected") return one.reason.message;
    return one.value.kind === "ready" ? "ready" : one.value.cause;
  });
}

const CODE = "eth_getCode";

function countIn(body: string): number {
  return body.split(CODE).length - 1;
}

/** The number of payments in each body. */
function sizes(bodies: readonly (readonly { method: string }[])[]): number[] {
  return bodies.map((calls) => calls.filter(({ method }) => method === CODE).length)
    .filter((count) => count > 0);
}

Deno.test("concurrent payments of one wallet are tried in one body, and each is judged alone", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const results = await tryAll(proxy.url, [
    {},
    { to: rejector.address },
    { amountRaw: 1_000n * ETHER },
    { contract: token.address },
    { contract: to },
    { from: other.address },
    { amountRaw: 7n },
  ]);
  assert.deepEqual(reported(results), [
    "ready",
    "reverts",
    "unaffordable",
    "reverts",
    "reverts",
    "ready",
    "ready",
  ]);
  assert.deepEqual(sizes(proxy.bodies).sort(), [1, 6]);
  const amounts = [0, 6].map((i) => {
    const result = results[i]!;
    assert.ok(result.status === "fulfilled" && result.value.kind === "ready");
    return result.value.prepared.request.amountRaw;
  });
  assert.deepEqual(amounts, [5n, 7n]);
});

Deno.test("what one body leaves unclear is asked alone, and fails alone", async () => {
  let isBroken = false;
  await using proxy = await startFaultProxy(anvil.url, (method, params, body) => {
    const isOdd = (params[0] as { value?: string } | undefined)?.value === "0x7";
    const isTogether = countIn(body) > 1;
    if (method !== ESTIMATE || !isOdd || !(isTogether || isBroken)) return "pass";
    return { edit: ({ id }) => ({ id, error: { code: -32603, message: "internal error" } }) };
  });
  const orders = [{}, { amountRaw: 7n }, { amountRaw: 9n }];
  assert.deepEqual(reported(await tryAll(proxy.url, orders)), ["ready", "ready", "ready"]);
  assert.deepEqual(sizes(proxy.bodies), [3, 1]);
  isBroken = true;
  const [first, second, third] = reported(await tryAll(proxy.url, orders));
  assert.deepEqual([first, third], ["ready", "ready"]);
  assert.match(second!, /internal error/);
});

Deno.test("a node that accepts no batch is asked about each separately", async () => {
  await using proxy = await startFaultProxy(
    anvil.url,
    (method, _params, body) =>
      method === ESTIMATE && countIn(body) > 1 ? { status: 500, body: "" } : "pass",
  );
  const results = await tryAll(proxy.url, [{}, { to: rejector.address }, {}]);
  assert.deepEqual(reported(results), ["ready", "reverts", "ready"]);
});

Deno.test("a recipient whose code keeps the node busy delays no other payment", async () => {
  const slow = makeWallet(4).address;
  const asked = { together: 0, alone: 0 };
  await using double = await startNodeDouble(anvil.url, async (call, ask) => {
    const isSlow = (call.params[0] as { to?: string } | undefined)?.to === slow;
    if (call.method !== ESTIMATE || !isSlow) return await ask();
    asked[asked.together === 0 ? "together" : "alone"]++;
    return NEVER;
  });
  const chain = connectEvm({
    rpcUrls: [double.url],
    waiting: { clock: systemClock, sleep: (ms, signal) => sleep(Math.min(ms, 50), signal) },
    timeoutMs: 2_000,
  });
  const plain = { from: wallet.address, to, contract: null, amountRaw: 5n };
  const late = chain.prepareTransfer({ ...plain, to: slow });
  const quick = [chain.prepareTransfer(plain), chain.prepareTransfer(plain)];
  for (const { kind } of await Promise.all(quick)) assert.equal(kind, "ready");
  await assert.rejects(late);
  assert.deepEqual(asked, { together: 1, alone: 1 });
});
