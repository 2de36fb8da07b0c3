import type { Hex } from "viem";
import { concatHex, keccak256, pad } from "viem/utils";
import assert from "node:assert/strict";
import { resumeSigning, stopSigning } from "../../../src/integrity/manage_stop.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { findNetwork } from "../../../src/books/find.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { type ActionRefusalCode, ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { adoptAll, adoptByHash, type LeftSpend } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import {
  Claims,
  type SignedTransactionRow,
  SignedTransactions,
} from "../../../src/transfers/table.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";
import { enable } from "../../support/gateway.ts";
import { MOVED_TOPIC, NOT_MOVED_TOPIC } from "../../../src/chains/evm/collector/carried_out.ts";
import { collectorAddress } from "../../../src/chains/evm/collector/deployment.ts";
import type { OnCall } from "../../support/nodes/fault_proxy.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { ETHER } from "../../support/payers.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import { recover } from "../../support/recovering.ts";
import { takeBackup } from "../../support/restoring.ts";
import { signedRows } from "../../support/signed_rows.ts";
import {
  assertNoFaults,
  depositStates,
  payIn,
  RECEIVER,
  sweepsOf,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, transactionsOf } from "../../support/views.ts";

const BY = { network: "ETH", actor: "test" };
const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };
const OTHER_RECEIVER = "0x00000000000000000000000000000000000beef2";

const adopt = ({ world }: Scene) => adoptAll(world.deps, BY);

/** As the last step of a restore. */
async function resumeGas({ world: { deps }, gas }: Scene): Promise<void> {
  await resumeWallet(deps, { ...BY, address: gas });
}

function reasonsOf(left: readonly LeftSpend[]): (ActionRefusalCode | string)[] {
  return left.map(({ reason }) => reason instanceof ActionRefused ? reason.code : reason.message);
}

async function newestOf({ deps }: { deps: Deps }): Promise<SignedTransactionRow> {
  const [tx] = await deps.db.rows(SignedTransactions, "ORDER BY id DESC LIMIT 1");
  return tx!;
}

/** What an account sees of what was swept. */
async function sweptRows({ world: { merchant: { api } } }: Scene) {
  return (await transactionsOf(api)).filter(({ direction }) => direction === "sweep")
    .map(({ tx_hash, status }) => ({ tx_hash, status }));
}

/** Each customer pays again, is credited and is swept, once. */
async function payAgain(scene: Scene): Promise<void> {
  const { world, token, addresses } = scene;
  const before = await heldBy(token, RECEIVER);
  for (const address of addresses) await payIn(world, { to: address, raw: PAID, token });
  await world.turn(4);
  assert.equal(await heldBy(token, RECEIVER), before + BigInt(addresses.length) * PAID);
  for (const address of addresses) assert.equal(await heldBy(token, address), 0n);
  assert.ok((await depositStates(world)).every((state) => state === "swept"));
  await checkBooks(scene);
  assertNoFaults(world);
}

Deno.test("a batch that restored books don't know is booked as it was, once, and everything goes on", async () => {
  await using scene = await startScene();
  const { world, token, addresses } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await world.turn(3);
  const { txHash } = await newestOf(world);
  const swept = await sweptRows(scene);
  assert.deepEqual(swept, Array(3).fill({ tx_hash: txHash, status: "confirmed" }));
  const balance = await balanceOf(world.merchant.api, "USDT");

  await backup.bringBack();
  const { deps, merchant: { api } } = world;
  await payIn(world, { to: addresses[0]!, raw: PAID, token });
  await world.turn(3);
  assert.deepEqual(await statesOf(scene), Array(3).fill("waiting"), "Nothing is signed yet");
  const { adopted: [batch, ...others], left } = await adopt(scene);
  assert.deepEqual([others, left], [[], []]);
  assert.deepEqual([batch!.tx.txHash, batch!.tx.state, batch!.tx.paymentCount], [
    ...[txHash, "settled", 3],
  ]);
  const arrived = PAID.toString();
  assert.deepEqual(
    batch!.payments.map((row) => [row.fromAddress, row.purpose, row.isSuccessful, row.arrivedRaw]),
    addresses.map((address) => [address, "sweep", true, arrived]),
  );
  assert.deepEqual(await sweptRows(scene), swept);
  const claims = (await deps.db.rows(Claims, "WHERE signed_id = ?", [batch!.tx.id]))
    .map(({ claim, isOnce, liveClaim }) => ({ claim, isOnce, isLive: liveClaim !== null }));
  for (const address of addresses) {
    const claim = claims.find((one) => one.claim === `${address}/0`);
    assert.deepEqual(claim, { claim: `${address}/0`, isOnce: false, isLive: true });
  }
  assert.deepEqual(await depositStates(world), ["swept", "swept", "swept", "confirmed"]);
  await checkBooks(scene);
  assert.equal(balance.balance, "15");
  assert.equal((await balanceOf(api, "USDT")).balance, "20");
  assert.deepEqual(await adopt(scene), { adopted: [], left: [] });
  await adoptByHash(deps, { ...BY, txHash, terms: NO_TERMS });
  const open = (await alertsOf(deps)).map(({ kind }) => kind);
  assert.deepEqual(open, ["wallet_halted", "wallet_halted"], "From the restore");

  await resumeGas(scene);
  await world.turn(3);
  assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
  await payAgain(scene);
});

Deno.test("a deposit that waits for its blocks when a batch is booked is swept by the next", async () => {
  await using scene = await startScene();
  const { world, token, addresses: [address] } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await world.turn(3);
  await backup.bringBack();
  const { deps } = world;
  await world.turn(1);
  await payIn(world, { to: address!, raw: PAID, token });
  await followNetwork(deps, await findNetwork(deps, "ETH"));
  const [late, ...more] = await deps.db.rows(Transactions, "WHERE status = 'detected'");
  assert.deepEqual(more, []);
  const [sweep] = await deps.db.rows(Sweeps, "WHERE address_id = ?", [late!.addressId]);
  // As an order leaves it that was taken on too, and failed.
  await deps.db.write({
    reads: [read(Transactions, [late!.id])],
    decide: (view) => view.update(Transactions, late!, { sweepId: sweep!.id }),
  });
  assert.deepEqual((await adopt(scene)).left, []);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  await resumeGas(scene);
  await world.turn(5);
  assert.deepEqual(await depositStates(world), Array(4).fill("swept"));
  assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
  await payAgain(scene);
});

/** Before the block of what is in the pool. */
async function banned({ anvil, token }: Scene, address: string, isBanned: boolean): Promise<void> {
  const slot = keccak256(concatHex([pad(address.toLowerCase() as Hex), pad("0x01")]));
  await anvil.rpc("anvil_setStorageAt", [token.address, slot, pad(isBanned ? "0x01" : "0x00")]);
}

/** Whatever is called there reverts. */
const REVERTING = "0x60006000fd";

Deno.test("an order that failed in a batch is booked so, and its deposit is swept afterwards", async () => {
  await using scene = await startScene();
  const { world, anvil, token, addresses } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  await banned(scene, addresses[1]!, true);
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(3);
  assert.equal(await heldBy(token, RECEIVER), 2n * PAID);
  await banned(scene, addresses[1]!, false);

  await backup.bringBack();
  await world.turn(2);
  const { adopted: [batch], left } = await adopt(scene);
  assert.deepEqual(left, []);
  assert.deepEqual(batch!.payments.map((row) => row.isSuccessful), [true, false, true]);
  const sweeps = (await sweepsOf(world)).map(({ state, code }) => [state, code]);
  assert.deepEqual(sweeps, [["done", null], ["waiting", "failed_in_batch"], ["done", null]]);
  assert.deepEqual(await depositStates(world), ["swept", "confirmed", "swept"]);
  assert.deepEqual(
    (await sweptRows(scene)).map(({ status }) => status).toSorted(),
    ["confirmed", "confirmed", "failed"],
  );
  await checkBooks(scene);
  await resumeGas(scene);
  await world.turn(5);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await payAgain(scene);
});

Deno.test("a batch that reverted as a whole has moved nothing, and its addresses delegate all the same", async () => {
  await using scene = await startScene();
  const { world, anvil, token, addresses, gas } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  const { place } = await newestOf(world);
  const contract = collectorAddress({ owner: gas, nonce: place - 1 });
  const code = await anvil.rpc("eth_getCode", [contract, "latest"]);
  await anvil.rpc("anvil_setCode", [contract, REVERTING]);
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(3);
  await anvil.rpc("anvil_setCode", [contract, code]);
  assert.equal(await heldBy(token, RECEIVER), 0n);
  for (const address of addresses) assert.equal(await nonceOf(anvil, address), 1);

  await backup.bringBack();
  await world.turn(2);
  const { adopted: [batch], left } = await adopt(scene);
  assert.deepEqual(left, []);
  assert.deepEqual(batch!.payments.map((row) => row.isSuccessful), Array(3).fill(false));
  assert.deepEqual(await depositStates(world), Array(3).fill("confirmed"));
  await resumeGas(scene);
  await world.turn(5);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await payAgain(scene);
});

Deno.test("while a batch of before the restore may still be mined, nothing of its addresses is signed", async () => {
  await using scene = await startScene(3, { currency: "ETH", paidRaw: ETHER });
  const { world, anvil, gas } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  const { raw } = await newestOf(world);

  await backup.bringBack();
  const { deps } = world;
  await world.round({ aheadMs: 60_000 });
  await assert.rejects(resumeGas(scene), /is waiting in a node's pool/);
  await anvil.rpc("anvil_dropAllTransactions");
  await world.turn(3);
  assert.deepEqual(
    (await sweepsOf(world)).map(({ state, code }) => [state, code]),
    Array(3).fill(["waiting", "wallet_halted"]),
  );
  await anvil.rpc("eth_sendRawTransaction", [raw]);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(2);
  assert.equal(await receivedBy(anvil, RECEIVER), 3n * ETHER);
  await assert.rejects(resumeGas(scene), /the books do not explain/);
  assert.deepEqual((await adopt(scene)).left, []);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  await resumeGas(scene);
  for (const to of scene.addresses) await payIn(world, { to, raw: ETHER });
  await world.turn(4);
  assert.equal(await receivedBy(anvil, RECEIVER), 6n * ETHER);
  assert.deepEqual(await depositStates(world), Array(6).fill("swept"));
  assert.deepEqual(
    (await signedRows(deps)).map(({ sender, purpose }) => [sender, purpose]),
    [[gas, "foreign"], [gas, "sweep"], [gas, "sweep"]],
  );
  await checkBooks(scene);
});

Deno.test("what was swept alone in the block before its order failed is booked as swept alone", async () => {
  await using scene = await startScene(3, { currency: "ETH", paidRaw: ETHER });
  const { world, anvil, addresses } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  const { raw } = await newestOf(world);
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.rpc("evm_setAutomine", [true]);
  const amountRaw = ETHER / 2n;
  await spendOwn(world, { from: addresses[0]!, to: RECEIVER, amountRaw });
  await anvil.rpc("eth_sendRawTransaction", [raw]);
  await anvil.mine(3);

  await backup.bringBack();
  await world.turn(2);
  const { adopted: [alone, batch], left } = await adopt(scene);
  assert.deepEqual([alone!.payments.length, batch!.payments.length, left], [1, 3, []]);
  assert.deepEqual(batch!.payments.map((row) => row.isSuccessful), [false, true, true]);
  assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
  assert.equal(await receivedBy(anvil, RECEIVER), 2n * ETHER + amountRaw);
  await resumeGas(scene);
  await world.turn(2);
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
});

/** A second bid for a batch that waits in the pool. */
async function outbid({ world: { deps } }: Scene): Promise<string> {
  const [newest] = await withPayments(deps.db, [await newestOf({ deps })]);
  const network = await findNetwork(deps, "ETH");
  const { tx } = await outbidTransfer(deps, { network, newest: newest!, actor: "test" });
  return tx.txHash;
}

Deno.test("of a batch that was outbid since the backup, the bid that was mined is booked", async () => {
  await using scene = await startScene();
  const { world, anvil, token } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  const mined = await outbid(scene);
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(3);

  await backup.bringBack();
  await world.turn(2);
  const { adopted, left } = await adopt(scene);
  assert.deepEqual([adopted.map(({ tx }) => tx.txHash), left], [[mined], []]);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await resumeGas(scene);
  await payAgain(scene);
});

for (const who of ["the worker", "an operator"]) {
  Deno.test(`a batch outbid between backup and restore is booked for the same sweeps by ${who}`, async () => {
    await using scene = await startScene();
    const { world, anvil, token } = scene;
    await switchOn(scene, { collect: "batch" });
    await anvil.rpc("evm_setAutomine", [false]);
    await world.turn(1);
    await using backup = await takeBackup(world);
    const mined = await outbid(scene);
    await anvil.rpc("evm_setAutomine", [true]);
    await anvil.mine(3);

    await backup.bringBack();
    const { deps } = world;
    assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
    const known = (await sweepsOf(world)).map(({ id }) => id);
    if (who === "the worker") await world.turn(2);
    else {
      const network = await findNetwork(deps, "ETH");
      while (!(await followNetwork(deps, network)).isCaughtUp);
      await adoptByHash(deps, { ...BY, txHash: mined, terms: NO_TERMS });
    }
    const rows = (await signedRows(deps)).map(({ txHash, state, paymentCount }) => [
      ...[txHash === mined, state, paymentCount],
    ]);
    assert.deepEqual(rows, [[false, "settled", 0], [false, "superseded", 3], [true, "settled", 3]]);
    assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
    assert.deepEqual((await sweepsOf(world)).map(({ id }) => id), known);
    assert.deepEqual(
      await sweptRows(scene),
      Array(3).fill({ tx_hash: mined, status: "confirmed" }),
    );
    assert.deepEqual(await adopt(scene), { adopted: [], left: [] });
    assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
    await resumeGas(scene);
    await payAgain(scene);
  });
}

Deno.test("a batch with an address that restored books don't know waits until that is recovered", async () => {
  await using scene = await startScene();
  const { world, token } = scene;
  const { merchant: { api } } = world;
  await using backup = await takeBackup(world);
  await switchOn(scene, { collect: "batch" });
  const { address } = await allocate(api, { currency: "USDT", user: "since the backup" });
  await payIn(world, { to: address, raw: 2n * PAID, token });
  await world.turn(1);
  await world.turn(3);
  assert.equal(await heldBy(token, RECEIVER), 5n * PAID);
  const { txHash, paymentCount } = (await signedRows(world.deps)).at(-1)!;
  const balance = await balanceOf(api, "USDT");

  await backup.bringBack();
  const { deps } = world;
  await world.turn(2);
  await assert.rejects(
    adoptByHash(deps, { ...BY, txHash, terms: NO_TERMS }),
    /collected through 0x[0-9a-fA-F]+, and these books don't know that the gas wallet deployed it/,
  );
  const { adopted, left } = await adopt(scene);
  assert.equal(adopted.at(0)!.tx.paymentCount, 0, "The contract");
  assert.deepEqual(reasonsOf(left), ["batch_of_unknown_addresses"]);
  assert.ok(left[0]!.reason.message.includes(`swept ${address}, which is no deposit address`));
  await recover(deps);
  await adopt(scene).then(({ left }) => assert.deepEqual(reasonsOf(left), ["sweep_unexplained"]));
  await rescan(deps, { ...BY, fromBlock: 1, toBlock: undefined });
  const { adopted: [batch], left: none } = await adopt(scene);
  assert.deepEqual([batch!.payments.length, none], [paymentCount, []]);
  await world.turn(2);
  assert.deepEqual(await depositStates(world), Array(4).fill("swept"));
  assert.deepEqual(await balanceOf(api, "USDT"), balance);
  await checkBooks(scene);
  await resumeGas(scene);
  await payIn(world, { to: address, raw: PAID, token });
  await world.turn(4);
  assert.equal(await heldBy(token, address), 0n);
  await payAgain(scene);
});

Deno.test("of a batch for two accounts, only what went to another receiving wallet waits for that", async () => {
  await using scene = await startScene(2);
  const { world, token } = scene;
  const other = await world.addMerchant("Other");
  const { deps } = world;
  await enable(deps, { accountId: other.accountId, network: "ETH", currency: "USDT" });
  await switchOn(scene, { collect: "batch" });
  const { accountId: id } = other;
  await setAccount(deps, { id, change: { delegatesNative: true }, actor: "test" });
  const { address } = await allocate(other.api, { currency: "USDT", user: "of the other" });
  await payIn(world, { to: address, raw: 3n * PAID, token });
  const receiver = { accountId: id, network: "ETH", address: OTHER_RECEIVER, isNow: true };
  // So that the first ones wait for the other account's.
  await scene.look(3);
  await using backup = await takeBackup(world);
  await setReceivingWallet(deps, { ...receiver, actor: "test" });
  await world.turn(3);
  assert.equal((await newestOf(world)).paymentCount, 3);
  const held = async () => [await heldBy(token, RECEIVER), await heldBy(token, OTHER_RECEIVER)];
  assert.deepEqual(await held(), [2n * PAID, 3n * PAID]);

  await backup.bringBack();
  await world.turn(2);
  const { adopted: [batch], left } = await adopt(scene);
  assert.deepEqual([batch!.payments.length, left], [3, []]);
  assert.deepEqual((await statesOf(scene)).toSorted(), ["done", "done", "sweeping"]);
  await resumeGas(scene);
  await world.turn(3);
  assert.deepEqual((await statesOf(scene)).toSorted(), ["done", "done", "sweeping"]);
  const alerts = async () =>
    (await alertsOf(world.deps)).filter(({ kind }) => kind === "swept_elsewhere");
  const [elsewhere, ...others] = await alerts();
  assert.deepEqual(others, []);
  assert.match(elsewhere!.message, /went to .*beef2, but the receiving wallet .* is not set/i);
  await stopSigning(world.deps, { reason: "An old wallet is named again", actor: "test" });
  await setReceivingWallet(world.deps, { ...receiver, actor: "test" });
  await world.turn(1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"), "It is booked while all stands");
  assert.deepEqual(await alerts(), []);
  await resumeSigning(world.deps, { actor: "test" });
  for (const [{ api }, amount, count] of [[world.merchant, "10", 2], [other, "15", 1]] as const) {
    assert.equal((await balanceOf(api, "USDT")).balance, amount);
    const outgoing = (await transactionsOf(api)).filter((row) => row.direction === "sweep");
    assert.deepEqual(outgoing.map(({ status }) => status), Array(count).fill("confirmed"));
  }
  await checkBooks(scene);
  await payIn(world, { to: address, raw: PAID, token });
  await payAgain(scene);
  assert.deepEqual(await held(), [4n * PAID, 4n * PAID]);
});

Deno.test("an adopted batch that a reorganisation takes out of its block is sent again, and moves once", async () => {
  await using scene = await startScene();
  const { world, anvil, token } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await world.turn(2);
  await backup.bringBack();
  await world.turn(1);
  assert.deepEqual((await adopt(scene)).left, []);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  await anvil.rpc("anvil_reorg", [7, []]);
  assert.equal(await heldBy(token, RECEIVER), 0n);
  await anvil.mine(2);
  await world.turn(5);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
  await resumeGas(scene);
  await payAgain(scene);
});

Deno.test("adopted orders that one of two nodes calls failed aren't given back, and end as they were", async () => {
  await using scene = await startScene(3, { hasSecondNode: true });
  const { world, proxy, second, token } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await world.turn(2);
  await backup.bringBack();
  const lie = (reply: unknown) =>
    JSON.parse(JSON.stringify(reply).replaceAll(MOVED_TOPIC, NOT_MOVED_TOPIC));
  const receipts = (edit: (reply: unknown) => unknown): OnCall => (method) =>
    method === "eth_getTransactionReceipt" ? { edit } : "pass";
  proxy.onCall = receipts(lie);
  await world.turn(2);
  // Whoever is slow, the first node is believed before the second one is heard.
  const isHeard = Promise.withResolvers<void>();
  let asked = 0;
  proxy.onCall = receipts((reply) => {
    if (++asked === 2) isHeard.resolve();
    return lie(reply);
  });
  second.onCall = receipts((reply) => isHeard.promise.then(() => reply));
  const { adopted: [batch], left } = await adopt(scene);
  second.onCall = () => "pass";
  assert.deepEqual([batch!.tx.state, left], ["open", []]);
  assert.deepEqual(batch!.payments.map((row) => row.isSuccessful), Array(3).fill(false));
  await world.turn(2);
  assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
  proxy.onCall = () => "pass";
  await rescan(world.deps, { ...BY, fromBlock: 1, toBlock: undefined });
  await world.turn(2);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
  await resumeGas(scene);
  await payAgain(scene);
});

Deno.test("an adoption of a batch that was interrupted before it was settled is settled by the worker", async () => {
  await using scene = await startScene();
  const { world } = scene;
  await switchOn(scene, { collect: "batch" });
  await using backup = await takeBackup(world);
  await world.turn(2);
  await backup.bringBack();
  await world.turn(2);
  const { deps } = world;
  let writes = 0;
  const db = Object.create(deps.db, {
    write: {
      value: (unit: Parameters<Deps["db"]["write"]>[0]) =>
        writes++ < 1 ? deps.db.write(unit) : Promise.reject(new Error("stopped")),
    },
  });
  await assert.rejects(adoptAll({ ...deps, db }, BY), /stopped/);
  assert.deepEqual(await statesOf(scene), Array(3).fill("sweeping"));
  await world.turn(1);
  assert.deepEqual(await statesOf(scene), Array(3).fill("done"));
  assert.deepEqual(await adopt(scene), { adopted: [], left: [] });
  await resumeGas(scene);
  await payAgain(scene);
});
