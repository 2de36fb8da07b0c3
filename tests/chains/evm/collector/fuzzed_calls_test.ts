import assert from "node:assert/strict";
import type { Hex } from "viem";
import { concatHex, pad, toFunctionSelector, toHex } from "viem/utils";
import { batchCall } from "../../../../src/chains/evm/collector/batch.ts";
import { collectorCode, delegationTo } from "../../../../src/chains/evm/collector/deployment.ts";
import { FILLED_IN } from "../../../../src/chains/evm/collector/bytecode.ts";
import { decodeLog, type EvmLog } from "../../../../src/chains/evm/blocks/decode_receipt.ts";
import { TRANSFER_TOPIC } from "../../../../src/chains/evm/erc20.ts";
import { type Random, seededRandom } from "../../../domain/random.ts";
import { askNode, type Reply } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { showFigure } from "../../../support/show_figure.ts";
import {
  coinsOf,
  delegateAll,
  makeWallets,
  nonceOf,
  type Scene,
  sendBatch,
  startScene,
} from "./scene.ts";

const HELD = 1_000_000n;
const WAY_ENTERS = 16;
/** What accounts with code are asked by others, and what moves money elsewhere. */
const SIGNATURES = [
  "transfer(address,uint256)",
  "approve(address,uint256)",
  "transferFrom(address,address,uint256)",
  "execute(address,uint256,bytes)",
  "execute(bytes32,bytes)",
  "executeBatch((address,uint256,bytes)[])",
  "multicall(bytes[])",
  "aggregate3((address,bool,bytes)[])",
  "collect((address,address,address,uint256)[],uint256,uint256)",
  "move(address,address,uint256)",
  "initialize(address)",
  "transferOwnership(address)",
  "upgradeTo(address)",
  "isValidSignature(bytes32,bytes)",
  "validateUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32,uint256)",
  "tokensReceived(address,address,address,uint256,bytes,bytes)",
  "onTransferReceived(address,address,uint256,bytes)",
  "onERC721Received(address,address,uint256,bytes)",
  "onFlashLoan(address,address,uint256,uint256,bytes)",
  "executeOperation(address,uint256,uint256,address,bytes)",
  "uniswapV2Call(address,uint256,uint256,bytes)",
  "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
].map((one) => toFunctionSelector(`function ${one}`));

interface Call {
  readonly target: string;
  readonly value: bigint;
  readonly data: Hex;
}

interface Siege {
  readonly scene: Scene;
  readonly token: Contract;
  /** Delegate to the collector, and hold tokens and coins. */
  readonly victims: readonly string[];
  readonly attacker: Contract;
  /** Accounts of strangers: with the collector's code, with the attacker's, with none. */
  readonly accounts: { readonly alike: string; readonly armed: string; readonly plain: string };
  readonly random: Random;
}

async function startSiege(seed: number): Promise<Siege & AsyncDisposable> {
  const scene = await startScene({ args: ["--disable-block-gas-limit"] });
  const { anvil, address } = scene;
  const token = await deploy(anvil, { name: "UsdtLike" });
  const attacker = await deploy(anvil, { name: "Attacker" });
  const wallets = makeWallets(8, 100);
  await delegateAll(scene, wallets);
  const victims = wallets.map(({ address }) => address);
  for (const victim of victims) {
    await token.send("mint", [victim, HELD]);
    await anvil.rpc("anvil_setBalance", [victim, toHex(HELD)]);
  }
  const [alike, armed, plain] = makeWallets(3, 200).map(({ address }) => address);
  const accounts = { alike: alike!, armed: armed!, plain: plain! };
  for (const one of [...Object.values(accounts), attacker.address]) {
    await anvil.rpc("anvil_setBalance", [one, toHex(10n ** 24n)]);
  }
  await anvil.rpc("anvil_setCode", [accounts.alike, delegationTo(address)]);
  await anvil.rpc("anvil_setCode", [accounts.armed, delegationTo(attacker.address)]);
  await anvil.rpc("anvil_autoImpersonateAccount", [true]);
  const random = seededRandom(seed);
  const dispose = () => scene[Symbol.asyncDispose]();
  return { scene, token, victims, attacker, accounts, random, [Symbol.asyncDispose]: dispose };
}

function makeCall(siege: Siege): Call {
  const { random, scene, token, victims, accounts, attacker } = siege;
  const target = random.chance(0.6)
    ? random.pick(victims)
    : random.chance(0.8)
    ? scene.address
    : random.pick([token.address, accounts.alike, accounts.armed, attacker.address]);
  const value = random.chance(0.1) ? BigInt(random.below(3)) : 0n;
  return { target, value, data: changed(random, makeData(siege)) };
}

function makeData({ random, scene, token, victims, accounts, attacker }: Siege): Hex {
  const addresses = [
    ...[...victims, ...Object.values(accounts), scene.address, scene.gasWallet.address],
    ...[token.address, attacker.address, `0x${"0".repeat(40)}`],
  ];
  const word = () => {
    if (random.chance(0.6)) return pad(random.pick(addresses) as Hex);
    const number = random.pick([0n, 1n, 2n, 32n, 64n, 96n, HELD, 2n ** 255n, 2n ** 256n - 1n]);
    return toHex(number, { size: 32 });
  };
  const words = (count: number) => concatHex(Array.from({ length: count }, word));
  const thief = random.pick([attacker.address, accounts.plain]);
  const contract = random.pick([token.address, null]);
  const amountRaw = random.pick([1n, HELD]);
  const order = concatHex([
    pad((contract ?? `0x${"0".repeat(40)}`) as Hex),
    pad(thief as Hex),
    toHex(amountRaw, { size: 32 }),
  ]);
  switch (random.below(6)) {
    case 0:
      return order;
    case 1: {
      const count = 1 + random.below(4);
      const froms = victims.slice(0, count);
      return batchCall({
        orders: froms.map((from) => ({ from, to: thief, contract, amountRaw })),
        gasEach: BigInt(random.pick([0, 30_000, 150_000])),
        atLeast: random.below(count + 1),
      });
    }
    case 2:
      return concatHex([random.pick(SIGNATURES), order]);
    case 3:
      return concatHex([random.pick(SIGNATURES), words(random.below(8))]);
    case 4:
      return words(random.below(8));
    default:
      return random.chance(0.3) ? "0x" : bytes(random, random.below(200));
  }
}

/** One time in three: cut off, longer, or with some bits turned. */
function changed(random: Random, data: Hex): Hex {
  switch (random.below(9)) {
    case 0:
      return data.slice(0, 2 + 2 * random.below(data.length / 2)) as Hex;
    case 1:
      return concatHex([data, bytes(random, 1 + random.below(64))]);
    case 2: {
      if (data === "0x") return data;
      const at = 2 + random.below(data.length - 2);
      return `${data.slice(0, at)}${random.below(16).toString(16)}${data.slice(at + 1)}` as Hex;
    }
    default:
      return data;
  }
}

function bytes(random: Random, count: number): Hex {
  return toHex(Uint8Array.from({ length: count }, () => random.below(256)));
}

function makeCalls(siege: Siege, count: number): Call[] {
  return Array.from({ length: count }, () => makeCall(siege));
}

type Log = Pick<EvmLog, "contract" | "topics">;

async function logsOf({ scene: { anvil } }: Siege, tx: object): Promise<Log[]> {
  const sent = { gas: toHex(2_000_000_000), ...tx };
  const { status, logs } = await anvil.rpc("eth_sendTransactionSync", [sent]);
  assert.equal(status, "0x1");
  return logs.map(decodeLog);
}

/** Each runs so many calls, and answers the logs that they left. */
const WAYS: Readonly<Record<string, (siege: Siege, count: number) => Promise<Log[]>>> = {
  "by a contract": async (siege, count) => {
    const { attacker, accounts } = siege;
    const data = attacker.encode("run", [makeCalls(siege, count)]);
    return await logsOf(siege, { from: accounts.plain, to: attacker.address, data });
  },
  "by an account with the contract's code": async (siege, count) => {
    const { attacker, accounts } = siege;
    const data = attacker.encode("run", [makeCalls(siege, count)]);
    return await logsOf(siege, { from: accounts.plain, to: accounts.armed, data });
  },
  "with borrowed code": async (siege, count) => {
    const { attacker, accounts, scene } = siege;
    const datas = makeCalls(siege, count).map(({ data }) => data);
    const data = attacker.encode("borrow", [scene.address, datas]);
    const to = siege.random.pick([attacker.address, accounts.armed]);
    return await logsOf(siege, { from: accounts.plain, to, data });
  },
  "by accounts themselves": async (siege, count) => {
    const { scene: { anvil }, accounts, attacker } = siege;
    const froms = [...Object.values(accounts), attacker.address];
    const nonces = new Map<string, number>();
    for (const one of froms) nonces.set(one, await nonceOf(anvil, one));
    const body = makeCalls(siege, count).map(({ target: to, value, data }, id) => {
      const from = siege.random.pick(froms);
      const nonce = nonces.get(from)!;
      nonces.set(from, nonce + 1);
      const tx = { from, to, data, value: toHex(value), nonce: toHex(nonce), gas: "0xf4240" };
      return { jsonrpc: "2.0", id, method: "eth_sendTransaction", params: [tx] };
    });
    await anvil.rpc("evm_setAutomine", [false]);
    const answers = await (await fetch(anvil.url, {
      ...{ method: "POST", headers: { "content-type": "application/json" } },
      body: JSON.stringify(body),
    })).json();
    assert.ok(
      answers.every(({ result }: Reply) => result),
      JSON.stringify(answers.find(({ error }: Reply) => error)),
    );
    await anvil.mine(1);
    await anvil.rpc("evm_setAutomine", [true]);
    const receipts = await askNode(anvil.url, {
      ...{ method: "eth_getBlockReceipts", params: ["latest"] },
    });
    assert.equal(receipts.length, count);
    return receipts.flatMap(({ logs }: Reply) => logs.map(decodeLog));
  },
};

/** Of the collector, and of tokens that left a victim. */
function isMovement({ scene, victims }: Siege, { contract, topics }: Log): boolean {
  if (contract.toLowerCase() === scene.address.toLowerCase()) return true;
  const froms = victims.map((victim) => pad(victim.toLowerCase() as Hex));
  return topics[0] === TRANSFER_TOPIC && froms.includes(topics[1] as Hex);
}

/** What the victims hold at least; whoever calls may give them coins. */
async function isAllThere({ scene: { anvil }, token, victims }: Siege): Promise<boolean> {
  const held = await Promise.all(
    victims.map(async (victim) =>
      await token.read("balanceOf", [victim]) === HELD && await coinsOf(anvil, victim) >= HELD
    ),
  );
  return held.every(Boolean);
}

/** By how many calls the first one moved something; undefined if none did. */
async function callsUntilTheft(
  siege: Siege,
  { way, count, atOnce }: { way: string; count: number; atOnce: number },
): Promise<number | undefined> {
  for (let done = 0; done < count; done += atOnce) {
    const logs = await WAYS[way]!(siege, atOnce);
    if (logs.some((log) => isMovement(siege, log))) return done + atOnce;
    if (!await isAllThere(siege)) return done + atOnce;
  }
  return undefined;
}

const PLAN = [
  { way: "by a contract", count: 76_000, atOnce: 400 },
  { way: "by an account with the contract's code", count: 12_000, atOnce: 400 },
  { way: "with borrowed code", count: 4_000, atOnce: 400 },
  { way: "by accounts themselves", count: 2_000, atOnce: 200 },
];
const IN_BATCHES = { batches: 60, calls: 50 };

Deno.test("collect 6: nobody but the gas wallet moves anything, in 100,000 fuzzed calls", async (t) => {
  await using siege = await startSiege(1);
  for (const part of PLAN) assert.equal(await callsUntilTheft(siege, part), undefined, part.way);
  // In the middle of the gas wallet's own batches a token makes them, and then a recipient of coins.
  const { scene, attacker } = siege;
  const { anvil } = scene;
  const odd = await deploy(anvil, { name: "OddToken" });
  await odd.send("behave", [WAY_ENTERS]);
  const [owner, payer] = makeWallets(2, 300);
  await delegateAll(scene, [owner!, payer!]);
  await odd.send("mint", [owner!.address, 10n ** 9n]);
  for (const one of [payer!.address, odd.address]) {
    await anvil.rpc("anvil_setBalance", [one, toHex(10n ** 24n)]);
  }
  const orders = [
    { from: owner!.address, to: attacker.address, contract: odd.address, amountRaw: 1n },
    { from: payer!.address, to: attacker.address, contract: null, amountRaw: 1n },
  ];
  for (let i = 0; i < IN_BATCHES.batches; i++) {
    for (const contract of [odd, attacker]) {
      // Or it would only ever call itself.
      const calls = makeCalls(siege, IN_BATCHES.calls)
        .map((call) => call.target === attacker.address ? { ...call, target: odd.address } : call);
      const data = contract.encode("prepare", [calls]);
      await logsOf(siege, { from: siege.accounts.plain, to: contract.address, data });
    }
    const options = { orders, gasEach: 20_000_000n, gas: 50_000_000n };
    const { logs, outcomes } = await sendBatch(scene, options);
    assert.ok(outcomes.every((one) => one.kind === "moved" && one.arrivedRaw === 1n));
    const moves = logs.filter((log) => isMovement(siege, log));
    assert.equal(moves.length, 2, "the collector's words on its own two orders");
    assert.ok(await isAllThere(siege));
  }
  const counts = PLAN.map(({ way, count }) => `${count} ${way}`);
  const inBatches = 2 * IN_BATCHES.batches * IN_BATCHES.calls;
  const total = PLAN.reduce((sum, { count }) => sum + count, inBatches);
  assert.ok(total >= 100_000, `${total}`);
  await showFigure(t, `${counts.join(", ")}, ${inBatches} in the middle of batches`);
});

/** The same code, but it takes the attacker for the wallet, or for the collector. */
async function takeAttackerFor({ scene, attacker }: Siege, name: "owner" | "self"): Promise<void> {
  let code: string = collectorCode(scene.collector);
  for (const start of FILLED_IN[name]) {
    const at = 2 + 2 * start;
    code = code.slice(0, at) + pad(attacker.address as Hex).slice(2) + code.slice(at + 64);
  }
  await scene.anvil.rpc("anvil_setCode", [scene.address, code.toLowerCase()]);
}

Deno.test("the same calls find out at once if the contract takes a stranger for one of its callers", async () => {
  for (const name of ["owner", "self"] as const) {
    await using siege = await startSiege(2);
    await takeAttackerFor(siege, name);
    const part = { way: "by a contract", count: 2_000, atOnce: 100 };
    assert.ok(await callsUntilTheft(siege, part), `${name} is found`);
  }
});
