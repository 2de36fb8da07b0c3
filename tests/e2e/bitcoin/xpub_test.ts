import assert from "node:assert/strict";
import { BIP32Factory, type BIP32Interface } from "bip32";
import { type Network, networks, payments } from "bitcoinjs-lib";
import * as secp256k1 from "tiny-secp256k1";
import { describeReceiver } from "../../../src/accounts/describe_receiver.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { addUpCoins, coinsMoved } from "../../../src/accounts/coins_moved.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { sourceOf } from "../../../src/wallets/rules/key_path.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import {
  arrivedAt,
  type LitecoinWorld,
  startTurningWorld,
  sweepToNode,
} from "../../support/litecoin_turns.ts";
import { allocate, balanceOf, depositsOf, transactionsOf } from "../../support/views.ts";
import type { WorldMerchant } from "../../support/world.ts";

/** A merchant's own wallet, by a library that knows nothing of the gateway. */
const RLTC: Network = {
  ...networks.testnet,
  ...{ bech32: "rltc", scriptHash: 58 },
};
const bip32 = BIP32Factory(secp256k1);

interface OwnWallet {
  readonly account: BIP32Interface;
  /** By SLIP-132. */
  written(version: number): string;
  p2wpkh(index: number, branch?: number): string;
  p2shP2wpkh(index: number): string;
}

const [TPUB, UPUB, VPUB] = [0x043587cf, 0x044a5262, 0x045f1cf6] as const;

function ownWallet(seed: number): OwnWallet {
  const account = bip32.fromSeed(new Uint8Array(32).fill(seed), RLTC).derivePath("m/84'/1'/0'")
    .neutered();
  const keyAt = (index: number, branch = 0) => account.derive(branch).derive(index).publicKey;
  const p2wpkh = (index: number, branch = 0) =>
    payments.p2wpkh({ pubkey: keyAt(index, branch), network: RLTC });
  return {
    account,
    written: (version) => {
      const network = { ...RLTC, bip32: { ...RLTC.bip32, public: version } };
      const { publicKey, chainCode } = account;
      return bip32.fromPublicKey(publicKey, chainCode, network).toBase58();
    },
    p2wpkh: (index, branch) => p2wpkh(index, branch).address!,
    p2shP2wpkh: (index) => payments.p2sh({ redeem: p2wpkh(index), network: RLTC }).address!,
  };
}

async function newAddress({ api }: WorldMerchant, user?: string): Promise<string> {
  const asked = { network: "LTC", currency: "LTC", ...user && { user } };
  return (await allocate(api, asked)).address;
}

async function useKey(
  { deps }: LitecoinWorld,
  { accountId }: { readonly accountId: number },
  address: string,
) {
  const order = { accountId, network: "LTC", address, isNow: true, actor: "test" };
  return await describeReceiver(deps, await setReceivingWallet(deps, order));
}

async function assertSound({ deps }: LitecoinWorld): Promise<void> {
  const { differences, surplus, skipped } = await reconcile(deps, { network: undefined });
  assert.deepEqual({ differences, surplus, skipped }, {
    ...{ differences: [], surplus: [], skipped: [] },
  });
}

Deno.test("deposits arrive in the merchant's own wallet, with no key here and no sweep", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant } = world;
  const own = ownWallet(1);
  const { own: told } = await useKey(world, merchant, own.written(VPUB));
  assert.deepEqual(told, { firstAddress: own.p2wpkh(0), gap: 0 });
  await world.look();
  const addresses = [];
  for (let i = 0; i < 3; i++) addresses.push(await newAddress(merchant));
  assert.deepEqual(addresses, [own.p2wpkh(0), own.p2wpkh(1), own.p2wpkh(2)]);
  await node.pay(addresses[1]!, "0.75");
  await world.round();
  assert.deepEqual((await depositsOf(merchant.api)).map(({ status }) => status), ["detected"]);
  await world.look(2);
  assert.deepEqual((await depositsOf(merchant.api)).map(({ status }) => status), ["swept"]);
  assert.equal((await balanceOf(merchant.api, "LTC")).balance, "0.75");
  await assertSound(world);
  await world.turn(3);
  assert.deepEqual(await deps.db.rows(Sweeps, "ORDER BY id"), []);
  assert.deepEqual(await deps.db.rows(SignedTransactions, "ORDER BY id"), []);
  await addUpCoins(deps);
  const { amounts } = (await coinsMoved(deps, merchant.accountId))!("LTC/LTC");
  assert.deepEqual(["swept", "emptied"].map((kind) => String(amounts.get(kind as "swept"))), [
    ...["0.75", "0.75"],
  ]);
  assert.deepEqual(await deps.db.rows(Alerts, "ORDER BY id"), []);
});

Deno.test("what the merchant's wallet spends concerns nobody here", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant } = world;
  const seed = new Uint8Array(32).fill(9);
  const signer = bip32.fromSeed(seed, RLTC).derivePath("m/84'/1'/0'");
  const own = ownWallet(9);
  await useKey(world, merchant, own.written(VPUB));
  await world.look();
  const [first, second] = [await newAddress(merchant), await newAddress(merchant)];
  const txid = await node.pay(first, "1");
  await node.mine(1);
  // The merchant's wallet pays itself, in a block that is read with the deposit's own.
  const key = signer.derive(0).derive(0);
  const unspent = await findOutput(node, { txid, address: first });
  const raw = await node.rpc("createrawtransaction", [[unspent], { [second]: 0.999 }]);
  const signed = await node.rpc("signrawtransactionwithkey", [raw, [key.toWIF()], [unspent]]);
  await node.rpc("sendrawtransaction", [signed.hex, 0]);
  await node.mine(1);
  await world.look(3);
  const deposits = await depositsOf(merchant.api);
  assert.deepEqual(deposits.map(({ status, amount_decimal }) => [status, amount_decimal]), [
    ["swept", "0.999"],
    ["swept", "1"],
  ]);
  assert.deepEqual(await deps.db.rows(Alerts, "ORDER BY id"), []);
  assert.deepEqual(await deps.db.rows(SignedTransactions, "ORDER BY id"), []);
  await assertSound(world);
});

async function findOutput(
  { rpc }: LitecoinWorld["node"],
  { txid, address }: { txid: string; address: string },
) {
  for (const vout of [0, 1]) {
    const found = await rpc("gettxout", [txid, vout]);
    if (found?.scriptPubKey.addresses?.includes(address)) {
      return { txid, vout, scriptPubKey: found.scriptPubKey.hex, amount: found.value };
    }
  }
  throw new Error(`${txid} pays ${address} nothing`);
}

Deno.test("one key in another encoding is the same key, and only its account's", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant } = world;
  const other = await world.addMerchant("Other");
  const own = ownWallet(2);
  await useKey(world, merchant, own.written(VPUB));
  await world.look();
  assert.equal(await newAddress(merchant), own.p2wpkh(0));
  const again = await useKey(world, merchant, own.written(TPUB));
  assert.equal(again.row.address, own.written(VPUB));
  assert.deepEqual(again.own, { firstAddress: own.p2wpkh(0), gap: 1 });
  assert.equal(await newAddress(merchant), own.p2wpkh(1));
  for (const version of [TPUB, UPUB, VPUB]) {
    await assert.rejects(useKey(world, other, own.written(version)), /another account's/);
  }
  // A wallet of another form, of the same key, is counted by itself.
  await useKey(world, merchant, own.written(UPUB));
  assert.equal(await newAddress(merchant), own.p2shP2wpkh(0));
  await node.mine(101);
  await node.pay(own.p2shP2wpkh(0), "0.5");
  await world.look(3);
  assert.deepEqual((await depositsOf(merchant.api)).map(({ status }) => status), ["swept"]);
  // It stays its account's also when that has another one.
  await sweepToNode(world, merchant);
  await assert.rejects(useKey(world, other, own.written(VPUB)), /another account's/);
  const rows = await deps.db.rows(Addresses, "WHERE purpose = 'deposit' ORDER BY id");
  assert.deepEqual(rows.map(sourceOf), ["xpub", "xpub", "xpub"]);
});

Deno.test("sticky addresses stay, and what they receive is swept into the merchant's own wallet", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { merchant } = world;
  const wallet = await sweepToNode(world, merchant);
  await world.look();
  const sticky = await newAddress(merchant, "anna");
  const pool = await newAddress(merchant);
  const own = ownWallet(3);
  await useKey(world, merchant, own.written(VPUB));
  assert.equal(await newAddress(merchant, "anna"), sticky);
  assert.equal(await newAddress(merchant, "bert"), own.p2wpkh(0));
  await node.pay(sticky, "0.5");
  await node.pay(pool, "0.25");
  await world.look(2);
  await world.turn(3);
  const swept = await transactionsOf(merchant.api, "&direction=sweep");
  assert.deepEqual(new Set(swept.map(({ to_address }) => to_address)), new Set([own.p2wpkh(0, 1)]));
  assert.equal(await arrivedAt(world, wallet), 0n);
  assert.deepEqual((await depositsOf(merchant.api)).map(({ status }) => status), [
    "swept",
    "swept",
  ]);
  // Back to an address: the key's sticky ones stay as well.
  await sweepToNode(world, merchant);
  assert.equal(await newAddress(merchant, "bert"), own.p2wpkh(0));
  assert.notEqual(await newAddress(merchant, "carl"), own.p2wpkh(1));
});

Deno.test("many at once get addresses without a gap, which grows while nobody pays", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startTurningWorld({ node });
  const { deps, merchant } = world;
  const own = ownWallet(4);
  const { row } = await useKey(world, merchant, own.written(VPUB));
  await world.look();
  const given = await Promise.all(Array.from({ length: 30 }, () => newAddress(merchant)));
  assert.deepEqual(
    given.toSorted(),
    Array.from({ length: 30 }, (_, i) => own.p2wpkh(i)).toSorted(),
  );
  const gapNow = async () => (await describeReceiver(deps, row)).own?.gap;
  assert.equal(await gapNow(), 30);
  await node.pay(own.p2wpkh(9), "0.1");
  await world.look(2);
  assert.equal(await gapNow(), 20);
  await node.pay(own.p2wpkh(29), "0.1");
  await world.look(2);
  assert.equal(await gapNow(), 19);
});
