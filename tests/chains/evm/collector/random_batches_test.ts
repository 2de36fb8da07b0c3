import type { CoinMove } from "../../../../src/chains/collecting.ts";
import assert from "node:assert/strict";
import { size, toHex } from "viem/utils";
import { zip } from "../../../../src/base/lists.ts";
import { decodeReceipt } from "../../../../src/chains/evm/blocks/decode_receipt.ts";
import {
  type Batch,
  batchCall,
  type OrderOutcome,
  readOutcomes,
} from "../../../../src/chains/evm/collector/batch.ts";
import { NOBODY } from "../../../../src/chains/evm/collector/delegation.ts";
import { delegationTo } from "../../../../src/chains/evm/collector/deployment.ts";
import { balanceCall } from "../../../../src/chains/evm/erc20.ts";
import {
  aggregateCall,
  nativeBalanceCall,
  readAggregate,
} from "../../../../src/chains/evm/multicall.ts";
import type { SignedAuthorization } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { type Random, seededRandom } from "../../../domain/random.ts";
import type { Reply } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";
import { showFigure } from "../../../support/show_figure.ts";
import { COMES_TO, type Way, WAYS } from "./odd_ways.ts";
import {
  CHAIN_ID,
  codeOf,
  hasMoved,
  makeWallets,
  nonceOf,
  type Scene,
  signAny,
  startScene,
} from "./scene.ts";

const BATCHES = 10_000;
const GAS_AMPLE = 12_000_000n;
const GAS_EACH = 150_000n;

/** What the chain holds, as whoever knows the rules would keep it. */
interface Model {
  /** Whose code runs at an address; none at zero. */
  readonly delegates: Map<string, string>;
  readonly nonces: Map<string, number>;
  /** By contract (null: coins) and holder. */
  readonly held: Map<string, bigint>;
  readonly ways: Map<string, Way>;
}

interface World {
  readonly scene: Scene;
  readonly random: Random;
  readonly model: Model;
  readonly wallets: readonly TestWallet[];
  readonly tokens: readonly Contract[];
  readonly recipients: readonly string[];
  readonly rejector: string;
  /** Of accounts with code that is not the collector's. */
  readonly others: readonly string[];
  readonly multicall: Contract;
}

async function startWorld(seed: number): Promise<World & AsyncDisposable> {
  const scene = await startScene({ args: ["--disable-block-gas-limit"] });
  const { anvil, gasWallet } = scene;
  const tokens: Contract[] = [];
  for (let i = 0; i < 6; i++) tokens.push(await deploy(anvil, { name: "OddToken" }));
  const rejector = (await deploy(anvil, { name: "Rejector" })).address;
  const attacker = (await deploy(anvil, { name: "Attacker" })).address;
  const multicall = await deploy(anvil, { name: "Multicall3" });
  const wallets = makeWallets(20, 100);
  const model: Model = {
    delegates: new Map(wallets.map(({ address }) => [address, NOBODY])),
    nonces: new Map(wallets.map(({ address }) => [address, 0])),
    held: new Map(),
    ways: new Map(tokens.map(({ address }) => [address, "true"])),
  };
  await anvil.rpc("anvil_setBalance", [gasWallet.address, toHex(10n ** 24n)]);
  await anvil.rpc("anvil_impersonateAccount", [gasWallet.address]);
  await anvil.rpc("evm_setAutomine", [false]);
  return {
    ...{ scene, model, wallets, tokens, rejector, multicall, random: seededRandom(seed) },
    others: [attacker, tokens[0]!.address, makeWallet(50).address],
    recipients: [makeWallet(51).address, makeWallet(52).address, rejector],
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  };
}

function keyOf(contract: string | null, holder: string): string {
  return `${contract} ${holder}`;
}

function add({ held }: Model, key: string, amountRaw: bigint): void {
  held.set(key, (held.get(key) ?? 0n) + amountRaw);
}

/** Deposits arrive, and tokens change their minds. */
async function prepare({ random, model, wallets, tokens, scene: { anvil } }: World): Promise<void> {
  const txs: object[] = [];
  for (let i = 0; i < 40; i++) {
    const { address } = random.pick(wallets);
    const token = random.pick([...tokens, null]);
    const amountRaw = BigInt(1 + random.below(1000));
    add(model, keyOf(token?.address ?? null, address), amountRaw);
    txs.push(
      token
        ? { to: token.address, data: token.encode("mint", [address, amountRaw]) }
        : { to: address, value: toHex(amountRaw) },
    );
  }
  const token = random.pick(tokens);
  const way = random.chance(0.6) ? "true" : random.pick(WAYS);
  model.ways.set(token.address, way);
  txs.push({ to: token.address, data: token.encode("behave", [WAYS.indexOf(way)]) });
  await sendAll(
    anvil.url,
    txs.map((tx) => ({ from: anvil.accounts[0], gas: toHex(200_000), ...tx })),
  );
  await anvil.mine(1);
}

async function sendAll(url: string, txs: readonly object[]): Promise<string[]> {
  const body = txs.map((tx, id) => ({
    ...{ jsonrpc: "2.0", id, method: "eth_sendTransaction", params: [tx] },
  }));
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const answers: Reply[] = await response.json();
  return answers.map(({ result, error }) => result ?? assert.fail(JSON.stringify(error)));
}

interface RandomBatch extends Batch {
  readonly authorizations: readonly SignedAuthorization[];
  readonly gas: bigint;
  readonly isShort: boolean;
}

async function makeBatch(world: World): Promise<RandomBatch> {
  const { random } = world;
  const authorizations: SignedAuthorization[] = [];
  if (random.chance(0.5)) {
    const count = 1 + random.below(3);
    for (let i = 0; i < count; i++) authorizations.push(await makeAuthorization(world));
  }
  const orders = makeOrders(world);
  const isShort = random.chance(0.15);
  const atLeast = random.chance(0.4) ? random.below(orders.length + 1) : 0;
  const data = batchCall({ orders, gasEach: GAS_EACH, atLeast });
  const least = 21_000n + 40n * BigInt(size(data)) + 25_000n * BigInt(authorizations.length);
  const gas = isShort ? least + BigInt(random.below(600_000)) : GAS_AMPLE;
  return { orders, gasEach: GAS_EACH, atLeast, authorizations, gas, isShort };
}

/** Half of them count; the others are late, early, for another chain, or signed by somebody else. */
async function makeAuthorization(
  { random, model, wallets, scene, others }: World,
): Promise<SignedAuthorization> {
  const wallet = random.pick(wallets);
  const nonce = model.nonces.get(wallet.address)!;
  const address = random.chance(0.7) ? scene.address : random.pick([NOBODY, ...others]);
  const isRight = random.chance(0.5);
  const kind = isRight ? 0 : 1 + random.below(3);
  const wrongNonce = Math.max(0, nonce + (kind === 1 ? -1 - random.below(3) : 1));
  const authorization = await signAny(wallet, {
    ...{ address, nonce: kind === 1 || kind === 2 ? wrongNonce : nonce },
    ...kind === 3 ? { chainId: CHAIN_ID + 1 } : {},
  });
  authorize(model, { wallet, authorization });
  return authorization;
}

/** The rule of EIP-7702, in the order of the list. */
function authorize(
  { nonces, delegates }: Model,
  { wallet: { address }, authorization: { chainId, nonce, address: delegate } }: {
    wallet: TestWallet;
    authorization: SignedAuthorization;
  },
): void {
  if (chainId !== CHAIN_ID || nonce !== nonces.get(address)) return;
  nonces.set(address, nonce + 1);
  delegates.set(address, delegate);
}

function makeOrders({ random, model, wallets, tokens, recipients }: World): CoinMove[] {
  const orders = new Map<string, CoinMove>();
  const count = 1 + random.below(7);
  for (let i = 0; i < count; i++) {
    const { address: from } = random.pick(wallets);
    const contract = random.pick([...tokens, null])?.address ?? null;
    const key = keyOf(contract, from);
    const heldRaw = model.held.get(key) ?? 0n;
    const amountRaw = random.chance(0.6) ? heldRaw : BigInt(random.below(Number(heldRaw) + 50));
    const to = random.pick(recipients);
    if (amountRaw > 0n) orders.set(key, { from, to, contract, amountRaw });
  }
  return [...orders.values()];
}

/** What the collector says of an order that is tried, and what it changes. */
function carryOut(
  { model, scene, rejector }: World,
  { from, to, contract, amountRaw }: CoinMove,
): OrderOutcome {
  const key = keyOf(contract, from);
  const isEnough = (model.held.get(key) ?? 0n) >= amountRaw;
  const move = (arrivingRaw = amountRaw) => {
    add(model, key, -amountRaw);
    add(model, keyOf(contract, to), arrivingRaw);
  };
  if (model.delegates.get(from) !== scene.address) return { kind: "failed" };
  if (contract === null) {
    if (!isEnough || to === rejector) return { kind: "failed" };
    move();
    return { kind: "moved", arrivedRaw: amountRaw };
  }
  const way = model.ways.get(contract)!;
  const { said, moves } = COMES_TO[way];
  if (said === "failed" || moves && !isEnough) return { kind: "failed" };
  if (moves) move(way === "keeps a tenth" ? amountRaw - amountRaw / 10n : amountRaw);
  return { kind: "moved", arrivedRaw: said === 0n ? 0n : amountRaw };
}

interface Counts {
  batches: number;
  orders: number;
  moved: number;
  failed: number;
  untried: number;
  reverted: number;
  authorizations: number;
  judged: number;
}

/** Some batches in one block, each compared by its own logs, and then everything that is held. */
async function runBlock(world: World, { count, counts }: { count: number; counts: Counts }) {
  const { scene: { anvil, gasWallet, address }, model, random } = world;
  if (random.chance(0.7)) await prepare(world);
  const before = new Map(model.held);
  let nonce = await nonceOf(anvil, gasWallet.address);
  const made: { batch: RandomBatch; expected: readonly OrderOutcome[] }[] = [];
  const txs: object[] = [];
  for (let i = 0; i < count; i++) {
    const batch = await makeBatch(world);
    // What is short of gas ends a block, because only the chain knows how far it gets.
    const expected = batch.isShort ? [] : batch.orders.map((order) => carryOut(world, order));
    made.push({ batch, expected });
    txs.push(txOf(batch, { from: gasWallet.address, to: address, nonce: nonce++ }));
    if (batch.isShort) break;
  }
  const hashes = await sendAll(anvil.url, txs);
  await anvil.mine(1);
  const receipts: Reply[] = await anvil.rpc("eth_getBlockReceipts", ["latest"]);
  assert.deepEqual(receipts.map(({ transactionHash }) => transactionHash), hashes);
  const seen: OrderOutcome[] = [];
  for (const [{ batch, expected }, receipt] of zip(made, receipts)) {
    seen.push(...await compare(world, { batch, expected, receipt, counts }));
  }
  await compareHeld(world);
  const [{ batch: only }] = made as [typeof made[number]];
  if (made.length === 1 && !only.isShort) await judge(world, { only, seen, before, counts });
}

function txOf(
  { authorizations, gas, ...batch }: RandomBatch,
  sent: { from: string; to: string; nonce: number },
): object {
  const authorizationList = authorizations.map((one) => ({
    ...one,
    ...{ chainId: toHex(one.chainId), nonce: toHex(one.nonce), yParity: toHex(one.yParity) },
  }));
  return {
    ...{ ...sent, nonce: toHex(sent.nonce), gas: toHex(gas), data: batchCall(batch) },
    ...authorizationList.length === 0 ? {} : { type: "0x4", authorizationList },
  };
}

async function compare(
  world: World,
  { batch, expected, receipt, counts }: {
    batch: RandomBatch;
    expected: readonly OrderOutcome[];
    receipt: Reply;
    counts: Counts;
  },
): Promise<OrderOutcome[]> {
  const { succeeded, logs } = await decodeReceipt(receipt, receipt.transactionHash);
  const { orders, isShort, atLeast, authorizations } = batch;
  counts.batches++;
  counts.authorizations += authorizations.length;
  if (!succeeded) {
    assert.ok(isShort && atLeast > 0, "a batch fails only for want of gas for `atLeast` orders");
    counts.reverted++;
    return [];
  }
  const outcomes = readOutcomes(logs, { collector: world.scene.address, orders });
  const tried = outcomes.filter(({ kind }) => kind !== "untried");
  assert.ok(tried.length >= atLeast);
  const wanted = isShort
    ? orders.slice(0, tried.length).map((order) => carryOut(world, order))
    : expected;
  assert.deepEqual(tried, wanted);
  counts.orders += orders.length;
  for (const { kind } of outcomes) counts[kind]++;
  return outcomes;
}

/** Everything that anybody holds, and what runs where. */
async function compareHeld(world: World): Promise<void> {
  const { model, wallets, multicall, scene: { anvil }, random } = world;
  const keys = [...model.held.keys()];
  const calls = keys.map((key) => {
    const [contract, holder] = key.split(" ") as [string, string];
    return contract === "null"
      ? { target: multicall.address, data: nativeBalanceCall(holder) }
      : { target: contract, data: balanceCall(holder) };
  });
  const call = { to: multicall.address, data: aggregateCall(calls) };
  const answer = await anvil.rpc("eth_call", [call, "latest"]);
  const found = readAggregate(answer, calls.length).map(BigInt);
  assert.deepEqual(new Map(zip(keys, found)), model.held);
  const { address } = random.pick(wallets);
  const delegate = model.delegates.get(address)!;
  const code = delegate === NOBODY ? "0x" : delegationTo(delegate);
  assert.equal(await codeOf(anvil, address), code);
  assert.equal(await nonceOf(anvil, address), model.nonces.get(address));
}

/** Where it is alone in its block, the balances around it tell the truth about each order. */
function judge(
  { model }: World,
  { only, seen, before, counts }: {
    only: RandomBatch;
    seen: readonly OrderOutcome[];
    before: ReadonlyMap<string, bigint>;
    counts: Counts;
  },
): void {
  for (const [{ from, contract, amountRaw }, outcome] of zip(only.orders, seen)) {
    const key = keyOf(contract, from);
    const [beforeRaw, afterRaw] = [before.get(key) ?? 0n, model.held.get(key) ?? 0n];
    const way = contract === null ? "true" : model.ways.get(contract)!;
    const isTrue = outcome.kind === "moved" && COMES_TO[way].isMoved;
    const lostRaw = beforeRaw - afterRaw;
    assert.equal(hasMoved(outcome, { contract, amountRaw, lostRaw }), isTrue);
    if (isTrue) assert.equal(lostRaw, amountRaw);
    counts.judged++;
  }
}

Deno.test("collect 6: 10,000 random batches come to exactly what a model of them comes to", async (t) => {
  const seed = 1;
  await using world = await startWorld(seed);
  const counts: Counts = {
    ...{ batches: 0, orders: 0, moved: 0, failed: 0, untried: 0, reverted: 0 },
    ...{ authorizations: 0, judged: 0 },
  };
  while (counts.batches < BATCHES) {
    const count = world.random.chance(0.3) ? 1 : 1 + world.random.below(40);
    await runBlock(world, { count, counts });
  }
  await showFigure(t, Object.entries(counts).map(([what, n]) => `${n} ${what}`).join(", "));
  for (const [what, count] of Object.entries(counts)) assert.ok(count > 100, `${what}: ${count}`);
});
