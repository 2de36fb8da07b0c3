import assert from "node:assert/strict";
import {
  addressOfScript,
  dustLimit,
  readAddress,
} from "../../../../src/chains/bitcoin/addresses.ts";
import {
  type Change,
  chooseCoins,
  type Plan,
  type WalletCoin,
} from "../../../../src/chains/bitcoin/coins/choose.ts";
import { gatherCoins } from "../../../../src/chains/bitcoin/coins/gather.ts";
import { planReplacement } from "../../../../src/chains/bitcoin/coins/replace.ts";
import { signTransaction } from "../../../../src/chains/bitcoin/coins/sign.ts";
import { refusalOf } from "../../../../src/chains/bitcoin/node/errors.ts";
import type { BitcoinNode } from "../../../../src/chains/bitcoin/node/node.ts";
import { PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { RpcReplyError } from "../../../../src/chains/pool/node_errors.ts";
import { type Litecoind, startLitecoind } from "../../../support/nodes/litecoind.ts";
import { nodeAt } from "../line.ts";
import { keyOf } from "./keys.ts";

const NETWORK = PRESETS["LTC-REGTEST"];
const OWN = keyOf(0);
const CHANGE: Change = {
  script: OWN.script,
  dustRaw: dustLimit(OWN.script, NETWORK),
  coinsWanted: 1,
  partMinRaw: 100_000n,
};
const INCREMENT = 1_000n;

function addressAt(key: number): string {
  return addressOfScript(keyOf(key).script, NETWORK)!;
}

async function coinsOf(node: BitcoinNode, key = 0): Promise<WalletCoin[]> {
  const found = (await node.scan([keyOf(key).script], { timeoutMs: 60_000 }))!;
  return found.outputs.map(({ txid, vout, valueRaw }) => ({
    ...{ txid, vout, valueRaw, isConfirmed: true },
  }));
}

async function signed(
  { inputs, payments, change }: Pick<Plan<WalletCoin>, "inputs" | "payments" | "change">,
) {
  return await signTransaction({
    inputs: inputs.map((coin) => ({ ...coin, signer: OWN.signer })),
    outputs: [...payments, ...change],
  });
}

async function refusal(sent: Promise<unknown>): Promise<string> {
  const error = await sent.then(() => undefined, (error) => error);
  assert.ok(error instanceof RpcReplyError, `${error}`);
  return refusalOf(error);
}

function planned<T extends { kind: string }>(plan: T): Extract<T, { kind: "planned" }> {
  assert.equal(plan.kind, "planned");
  return plan as Extract<T, { kind: "planned" }>;
}

async function fundedWallet(litecoind: Litecoind, coins: readonly number[]) {
  for (const each of coins) await litecoind.pay(addressAt(0), each);
  await litecoind.mine(1);
  return await coinsOf(nodeAt(litecoind.url));
}

Deno.test("a node takes what is chosen and signed, for the fee that was planned, to every form", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const coins = await fundedWallet(litecoind, [1, 2, 3]);
  const forms = ["legacy", "p2sh-segwit", "bech32"];
  const to: string[] = await Promise.all(
    forms.map((form) => litecoind.rpc("getnewaddress", ["", form], "payer")),
  );
  const payments = to.map((address) => {
    const { script } = readAddress(address, NETWORK)!;
    // The least that this node passes on.
    return { script, valueRaw: dustLimit(script, NETWORK) };
  });
  const plan = planned(chooseCoins({ coins, payments, change: CHANGE, rateRaw: 3_000n }));
  const { raw, txid } = await signed(plan);
  const below = payments.map((payment, i) =>
    i === 0 ? { ...payment, valueRaw: payment.valueRaw - 1n } : payment
  );
  const dusty = await signed({ ...plan, payments: below });
  assert.equal(await refusal(node.send(dusty.raw)), "dust");

  assert.equal(await node.send(raw), txid);

  const [entry] = await node.mempoolEntries([txid]);
  assert.equal(entry?.feeRaw, plan.feeRaw);
  assert.ok(entry.vsize <= plan.vsize && entry.vsize >= plan.vsize - 1);
  const { "bip125-replaceable": isReplaceable } = await litecoind.rpc("getmempoolentry", [txid]);
  assert.equal(isReplaceable, true);
});

Deno.test("a replacement throws out payment and descendants, with not much less it is refused", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const coins = await fundedWallet(litecoind, [5, 1]);
  const payments = [{ script: keyOf(7).script, valueRaw: 100_000_000n }];
  const plan = planned(chooseCoins({ coins, payments, change: CHANGE, rateRaw: 1_000n }));
  const first = await signed(plan);
  await node.send(first.raw);
  const back = {
    txid: first.txid,
    vout: 1,
    valueRaw: plan.change[0]!.valueRaw,
    isConfirmed: false,
  };
  const next = planned(chooseCoins({
    ...{ coins: [back], change: CHANGE, rateRaw: 40_000n },
    payments: [{ script: keyOf(8).script, valueRaw: 1_000_000n }],
  }));
  const second = await signed(next);
  await node.send(second.raw);

  const [entry] = await node.mempoolEntries([first.txid]);
  const descendants = (await node.relatives(first.txid, "descendants"))!;
  const descendantFeesRaw = [...descendants.values()].reduce((sum, { feeRaw }) => sum + feeRaw, 0n);
  assert.deepEqual(descendantFeesRaw, next.feeRaw);
  const others = coins.filter((coin) => !plan.inputs.includes(coin));
  const bump = planned(planReplacement({
    replaced: { feeRaw: entry!.feeRaw, vsize: entry!.vsize, descendantFeesRaw },
    ...{ inputs: plan.inputs, payments, change: CHANGE, others },
    ...{ rateRaw: 2_000n, incrementRaw: INCREMENT },
  }));
  const [change] = bump.change;
  const cheaper = [{ ...change!, valueRaw: change!.valueRaw + 2n }];
  const tooCheap = await signed({ ...bump, change: cheaper });
  assert.equal(await refusal(node.send(tooCheap.raw)), "replacement_too_low");
  const better = await signed(bump);
  await node.send(better.raw);

  assert.deepEqual((await node.mempool()).txids, [better.txid]);
  assert.equal((await node.mempoolEntries([better.txid]))[0]?.feeRaw, bump.feeRaw);
  // Revoked: all of it goes back, and only that is mined.
  const revoked = planned(planReplacement({
    replaced: { feeRaw: bump.feeRaw, vsize: better.vsize, descendantFeesRaw: 0n },
    ...{ inputs: bump.inputs, payments: [], change: CHANGE, others },
    ...{ rateRaw: 1_000n, incrementRaw: INCREMENT },
  }));
  const { raw, txid } = await signed(revoked);
  await node.send(raw);
  await litecoind.mine(1);
  const left = await coinsOf(node);
  assert.ok(left.some((coin) => coin.txid === txid));
  assert.equal(
    left.reduce((sum, { valueRaw }) => sum + valueRaw, 0n),
    600_000_000n - revoked.feeRaw,
  );
  assert.equal(await refusal(node.send(first.raw)), "missing_inputs");
});

Deno.test("a sweep empties many addresses into one output of a node's wallet", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const keys = [20, 21, 22];
  for (const key of keys) await litecoind.pay(addressAt(key), "0.5");
  await litecoind.pay(addressAt(21), "0.25");
  await litecoind.mine(1);
  const to: string = await litecoind.rpc("getnewaddress", [], "payer");
  const { script } = readAddress(to, NETWORK)!;
  const sources = [];
  // A node looks for one thing at a time.
  for (const key of keys) {
    const coins = await coinsOf(node, key);
    sources.push({ coins: coins.map((coin) => ({ ...coin, signer: keyOf(key).signer })) });
  }
  const gathered = gatherCoins(sources, { script, rateRaw: 1_000n });
  const { raw, txid } = await signTransaction({
    inputs: gathered.inputs,
    outputs: [{ script, valueRaw: gathered.valueRaw }],
  });
  assert.equal(await node.send(raw), txid);
  await litecoind.mine(1);
  const received = await litecoind.rpc("getreceivedbyaddress", [to], "payer");
  assert.equal(BigInt(Math.round(received * 1e8)), 175_000_000n - gathered.feeRaw);
});

Deno.test("change is spent before it is mined, until a node finds the chain too long", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  let coins: WalletCoin[] = await fundedWallet(litecoind, [5]);
  const payments = [{ script: keyOf(7).script, valueRaw: 1_000_000n }];
  for (let depth = 1;; depth++) {
    const plan = planned(chooseCoins({ coins, payments, change: CHANGE, rateRaw: 1_000n }));
    const { raw, txid } = await signed(plan);
    if (depth > 25) {
      assert.equal(await refusal(node.send(raw)), "chain_too_long");
      break;
    }
    await node.send(raw);
    const [entry] = await node.mempoolEntries([txid]);
    assert.equal(entry?.ancestors.count, depth);
    coins = [{ txid, vout: 1, valueRaw: plan.change[0]!.valueRaw, isConfirmed: false }];
  }
});
