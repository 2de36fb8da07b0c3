import type { CoinMove } from "../../../../src/chains/collecting.ts";
import { MOVED_TOPIC, NOT_MOVED_TOPIC } from "../../../../src/chains/evm/collector/carried_out.ts";
import assert from "node:assert/strict";
import { toHex } from "viem/utils";
import { InvariantError } from "../../../../src/base/assert.ts";
import {
  batchCall,
  delegatedOverrides,
  readBatchCall,
  readBatchTrial,
  readOutcomes,
} from "../../../../src/chains/evm/collector/batch.ts";
import { TRANSFER_TOPIC } from "../../../../src/chains/evm/erc20.ts";
import { hex32 } from "../../../../src/chains/evm/decode.ts";
import type { Anvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";
import { COMES_TO, type Way, WAYS } from "./odd_ways.ts";
import {
  coinsOf,
  delegateAll,
  hasMoved,
  makeWallets,
  type Scene,
  sendBatch,
  startScene,
  tokensOf,
} from "./scene.ts";

const to = makeWallet(2).address;
const ETHER = 10n ** 18n;

async function makeToken(anvil: Anvil, way: Way): Promise<Contract> {
  const token = await deploy(anvil, { name: "OddToken" });
  await token.send("behave", [WAYS.indexOf(way)]);
  return token;
}

async function tried(scene: Scene, orders: readonly CoinMove[], gasEach = 150_000n) {
  const data = batchCall({ orders, gasEach, atLeast: orders.length });
  const addresses = orders.map(({ from }) => from);
  const overrides = delegatedOverrides({ collector: scene.address, addresses });
  const call = { from: scene.gasWallet.address, to: scene.address, data };
  const answer = await scene.anvil.rpc("eth_call", [call, "latest", overrides]);
  return readBatchTrial(answer, orders.length);
}

Deno.test("each order fails or succeeds alone, whatever its token does, and a trial says the same", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const [holder] = makeWallets(1, 100);
  const tokens: Contract[] = [];
  for (const way of WAYS) {
    const token = await makeToken(anvil, way);
    await token.send("mint", [holder!.address, 1000n]);
    tokens.push(token);
  }
  const from = holder!.address;
  const orders = tokens.map(({ address: contract }) => ({ from, to, contract, amountRaw: 100n }));
  // Nothing is signed for a trial.
  const before = await tried(scene, orders);
  await delegateAll(scene, [holder!]);
  const { succeeded, outcomes } = await sendBatch(scene, { orders });
  assert.ok(succeeded);
  assert.deepEqual(before, outcomes.map(({ kind }) => kind === "moved"));
  for (const [i, way] of WAYS.entries()) {
    const outcome = outcomes[i]!;
    const said = outcome.kind === "moved" ? `moved ${outcome.arrivedRaw}` : outcome.kind;
    const afterRaw = await tokensOf(tokens[i]!, holder!);
    const verdict = hasMoved(outcome, { ...orders[i]!, lostRaw: 1000n - afterRaw });
    const { said: expected, moves, isMoved } = COMES_TO[way];
    const shown = expected === "failed" ? expected : `moved ${expected}`;
    assert.deepEqual([said, 1000n - afterRaw, verdict], [shown, moves ? 100n : 0n, isMoved], way);
  }
});

Deno.test("coins go exactly as ordered, and a recipient that takes none or all the gas fails alone", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const rejector = await deploy(anvil, { name: "Rejector" });
  const burner = await deploy(anvil, { name: "Burner", args: [10_000_000n, false] });
  const hungry = await deploy(anvil, { name: "Hungry" });
  const wallets = makeWallets(5, 100);
  await delegateAll(scene, wallets);
  for (const { address } of wallets) await anvil.rpc("anvil_setBalance", [address, "0x64"]);
  const recipients = [to, rejector.address, burner.address, hungry.address, to];
  const orders = wallets.map(({ address: from }, i) => ({
    ...{ from, to: recipients[i]!, contract: null, amountRaw: i === 4 ? 101n : 99n },
  }));
  const { outcomes } = await sendBatch(scene, { orders });
  assert.deepEqual(outcomes.map(({ kind }) => kind), [
    ...["moved", "failed", "failed", "moved", "failed"],
  ]);
  assert.equal(await coinsOf(anvil, to), 99n);
  assert.deepEqual(await Promise.all(wallets.map(({ address }) => coinsOf(anvil, address))), [
    ...[1n, 100n, 100n, 1n, 100n],
  ]);
});

Deno.test("what isn't delegated, or to others, and what has no code as a token moves nothing", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const token = await makeToken(anvil, "true");
  const [ours, plain, elsewhere] = makeWallets(3, 100);
  await delegateAll(scene, [ours!]);
  // Says yes to everything, and would be believed if its code weren't looked at.
  const attacker = await deploy(anvil, { name: "Attacker" });
  const code = `0xef0100${attacker.address.slice(2).toLowerCase()}`;
  await anvil.rpc("anvil_setCode", [elsewhere!.address, code]);
  for (const { address } of [ours!, plain!, elsewhere!]) await token.send("mint", [address, 100n]);
  const froms = [plain!.address, elsewhere!.address, attacker.address, scene.address];
  const orders = [
    ...froms.map((from) => ({ from, to, contract: token.address, amountRaw: 100n })),
    { from: ours!.address, to, contract: makeWallet(9).address, amountRaw: 100n },
    { from: ours!.address, to, contract: scene.address, amountRaw: 100n },
    { from: ours!.address, to, contract: token.address, amountRaw: 100n },
  ];
  const { outcomes } = await sendBatch(scene, { orders });
  assert.deepEqual(outcomes.map(({ kind }) => kind), [...Array(6).fill("failed"), "moved"]);
  assert.equal(await token.read("balanceOf", [to]), 100n);
});

Deno.test("an order is begun only with all its gas, and what isn't has no outcome", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const token = await makeToken(anvil, "true");
  const hog = await makeToken(anvil, "burns gas");
  const wallets = makeWallets(4, 100);
  await delegateAll(scene, wallets);
  for (const { address } of wallets) await token.send("mint", [address, 100n]);
  const contracts = [token, hog, hog, token].map(({ address }) => address);
  const orders = wallets.map(({ address: from }, i) => ({
    ...{ from, to, contract: contracts[i]!, amountRaw: 100n },
  }));
  const kinds = async (gas: bigint, atLeast = 0) => {
    const { succeeded, outcomes } = await sendBatch(scene, { orders, gas, atLeast });
    return succeeded ? outcomes.map(({ kind }) => kind) : "reverted";
  };
  assert.deepEqual(await kinds(60_000n), ["untried", "untried", "untried", "untried"]);
  assert.equal(await kinds(350_000n, 4), "reverted");
  assert.deepEqual(await kinds(350_000n, 2), ["moved", "failed", "untried", "untried"]);
  await token.send("mint", [wallets[0]!.address, 100n]);
  // For all of them an estimate finds enough, and just enough.
  const data = batchCall({ orders, gasEach: 150_000n, atLeast: 4 });
  const estimate = BigInt(
    await anvil.rpc("eth_estimateGas", [
      { from: scene.gasWallet.address, to: scene.address, data },
    ]),
  );
  assert.equal(await kinds(estimate * 9n / 10n, 4), "reverted");
  assert.deepEqual(await kinds(estimate, 4), ["moved", "failed", "failed", "moved"]);
});

Deno.test("a thousand orders are answered in order, up to what a transaction may use", async () => {
  await using scene = await startScene({ args: ["--gas-limit", "60000000"] });
  const orders = makeWallets(1000, 100).map(({ address: from }) => ({
    ...{ from, to, contract: null, amountRaw: ETHER },
  }));
  const { outcomes, gasUsed } = await sendBatch(scene, { orders, gas: 16_777_216n });
  assert.deepEqual(outcomes, Array(1000).fill({ kind: "failed" }));
  assert.ok(gasUsed < 16_777_216);
});

Deno.test("the collector takes no coins and answers nobody but the gas wallet", async () => {
  await using scene = await startScene();
  const { anvil, address, gasWallet } = scene;
  const [stranger] = anvil.accounts;
  const data = batchCall({ orders: [], gasEach: 1n, atLeast: 0 });
  const call = async (tx: object) => {
    const answer = anvil.rpc("eth_call", [{ to: address, ...tx }, "latest"]);
    return await answer.then(() => "answered", () => "refused");
  };
  assert.equal(await call({ from: gasWallet.address, data }), "answered");
  assert.equal(await call({ from: stranger, data }), "refused");
  assert.equal(await call({ from: gasWallet.address, data, value: "0x1" }), "refused");
  assert.equal(await call({ from: gasWallet.address, value: "0x1" }), "refused");
  assert.equal(await call({ from: gasWallet.address }), "refused");
  assert.equal(await call({ from: gasWallet.address, data: `${data}00` }), "refused");
  assert.equal(await call({ from: gasWallet.address, data: data.slice(0, -2) }), "refused");
});

Deno.test("called directly, a delegated address is like one without code, for the gas wallet too", async () => {
  await using scene = await startScene();
  const { anvil, gasWallet } = scene;
  const token = await makeToken(anvil, "true");
  const [wallet, another] = makeWallets(2, 100);
  await delegateAll(scene, [wallet!, another!]);
  await token.send("mint", [wallet!.address, 100n]);
  const words = [BigInt(token.address), BigInt(to), 100n].map((word) => hex32(word).slice(2));
  const data = `0x${words.join("")}`;
  const batch = batchCall({
    orders: [{ from: wallet!.address, to, contract: token.address, amountRaw: 100n }],
    ...{ gasEach: 150_000n, atLeast: 1 },
  });
  await anvil.rpc("anvil_autoImpersonateAccount", [true]);
  await anvil.rpc("anvil_setBalance", [another!.address, toHex(ETHER)]);
  for (const from of [gasWallet.address, another!.address, anvil.accounts[0]!]) {
    for (const sent of [data, batch, "0x", "0x00"]) {
      const tx = { from, to: wallet!.address, data: sent, value: "0x1" };
      assert.equal(await anvil.rpc("eth_call", [tx, "latest"]), "0x");
      assert.equal((await anvil.rpc("eth_sendTransactionSync", [tx])).status, "0x1");
    }
  }
  assert.equal(await tokensOf(token, wallet!), 100n);
  assert.equal(await coinsOf(anvil, wallet!.address), 12n);
});

const ORDER = { from: makeWallet(3).address, to, contract: makeWallet(4).address, amountRaw: 5n };

Deno.test("a batch's data is read back exactly, and nothing else is taken for one", () => {
  const coins = { ...ORDER, contract: null };
  const batch = { orders: [ORDER, coins], gasEach: 150_000n, atLeast: 2 };
  const data = batchCall(batch);
  assert.deepEqual(readBatchCall(data), batch);
  assert.deepEqual(readBatchCall(batchCall({ ...batch, orders: [] })), { ...batch, orders: [] });
  const changed = [
    "0x",
    "0x00",
    data.slice(0, -2),
    `${data}00`,
    data.replace(data.slice(2, 10), "a9059cbb"),
    // A dirty address, an offset elsewhere, an order of nothing, the same coin twice.
    data.replace(
      `${"0".repeat(24)}${coins.from.slice(2).toLowerCase()}`,
      (word) => `1${word.slice(1)}`,
    ),
    data.replace("60".padStart(64, "0"), "80".padStart(64, "0")),
    data.replaceAll("5".padStart(64, "0"), "0".padStart(64, "0")),
    data.replaceAll(ORDER.contract.slice(2).toLowerCase(), "0".repeat(40)),
  ];
  for (const one of changed) {
    assert.notEqual(one, data);
    assert.equal(readBatchCall(one), undefined, one);
  }
});

Deno.test("a batch has each coin of an address once, an amount in each order, and no token at zero", () => {
  const other = { ...ORDER, to: makeWallet(5).address };
  const orders = [
    [ORDER, other],
    [{ ...ORDER, amountRaw: 0n }],
    [{ ...ORDER, contract: `0x${"0".repeat(40)}` }],
  ];
  for (const one of orders) {
    assert.throws(() => batchCall({ orders: one, gasEach: 1n, atLeast: 0 }), InvariantError);
  }
});

const COLLECTOR = makeWallet(6).address;

function outcomeLog(topic: string, index: number, contract = COLLECTOR) {
  return { contract, topics: [topic], data: hex32(BigInt(index)) };
}

function transferLog(
  { contract, from, to, amountRaw }: CoinMove & { readonly contract: string },
) {
  const addresses = [from, to].map((one) => hex32(BigInt(one)));
  return { contract, topics: [TRANSFER_TOPIC, ...addresses], data: hex32(amountRaw) };
}

Deno.test("a token's logs count for the order in which they stand, and for its addresses only", () => {
  const second = { ...ORDER, from: makeWallet(7).address };
  const orders = [ORDER, second];
  const read = (logs: Parameters<typeof readOutcomes>[0]) =>
    readOutcomes(logs, { collector: COLLECTOR, orders });
  const moved = (index: number) => outcomeLog(MOVED_TOPIC, index);
  assert.deepEqual(
    read([
      // The first order's token also claims the second's, and something about others.
      transferLog(ORDER),
      transferLog(second),
      transferLog({ ...ORDER, to: COLLECTOR }),
      transferLog({ ...ORDER, contract: COLLECTOR.toLowerCase() }),
      moved(0),
      moved(1),
      transferLog(second),
    ]),
    [{ kind: "moved", arrivedRaw: 5n }, { kind: "moved", arrivedRaw: 0n }],
  );
  assert.deepEqual(read([transferLog(ORDER), outcomeLog(NOT_MOVED_TOPIC, 0)]), [
    { kind: "failed" },
    { kind: "untried" },
  ]);
  const halves = [{ ...ORDER, amountRaw: 2n }, { ...ORDER, amountRaw: 3n }].map(transferLog);
  assert.deepEqual(read([...halves, moved(0)])[0], { kind: "moved", arrivedRaw: 5n });
});

Deno.test("outcomes that are missing, double, unknown or too many are no outcomes of this batch", () => {
  const read = (logs: Parameters<typeof readOutcomes>[0]) =>
    readOutcomes(logs, { collector: COLLECTOR, orders: [ORDER, { ...ORDER, contract: null }] });
  const [first, second, third] = [0, 1, 2].map((index) => outcomeLog(MOVED_TOPIC, index));
  for (
    const logs of [
      [second!],
      [second!, first!],
      [first!, first!],
      [first!, second!, third!],
      [outcomeLog(TRANSFER_TOPIC, 0)],
      [{ ...first!, topics: [MOVED_TOPIC, MOVED_TOPIC] }],
      [{ ...first!, topics: [] }],
      [{ ...first!, data: "0x" }],
    ]
  ) assert.throws(() => read(logs), { name: "NodeError" });
});

Deno.test("a trial's answer of another length or content is a fault of the node", () => {
  const answer = (bytes: string) =>
    `0x${hex32(32n).slice(2)}${hex32(BigInt(bytes.length / 2)).slice(2)}${bytes.padEnd(64, "0")}`;
  assert.deepEqual(readBatchTrial(answer("010001"), 3), [true, false, true]);
  for (const wrong of ["0x", answer("0100"), answer("010002"), answer("01000100"), null]) {
    assert.throws(() => readBatchTrial(wrong, 3), { name: "NodeError" });
  }
});
