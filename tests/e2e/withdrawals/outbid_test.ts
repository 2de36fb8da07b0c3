import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { revokedWithdrawals, withPayments } from "../../../src/transfers/reads/transfers.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import { AlreadyMoved } from "../../../src/transfers/save_signed.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../../src/withdrawals/push.ts";
import { OperatorError } from "../../../src/domain/refusal.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { mineRaw, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import {
  alertsOf,
  balanceOf,
  eventsOf,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const ACTOR = "test";

/** A withdrawal that waits in the pool of a chain that mines nothing by itself. */
async function startWaiting(world: World): Promise<{ id: number; first: string }> {
  await world.anvil.rpc("evm_setAutomine", [false]);
  const reply = await withdraw(world.merchant.api, { to: STRANGER, amount: "1" });
  return { id: sentId(reply), first: reply.body.data.tx_hash };
}

Deno.test("a bumped withdrawal bids an eighth more for its nonce and is paid once (hazards 42, 43)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const { id, first } = await startWaiting(world);
  const bumped = await bumpWithdrawal(world.deps, { id, actor: ACTOR });
  assert.notEqual(bumped.txHash, first);
  const [before, after] = await Promise.all(
    [first, bumped.txHash].map((hash) => anvil.rpc("eth_getTransactionByHash", [hash])),
  );
  assert.equal(before, null, "The pool keeps the dearer one");
  const [old, bid] = await transfersOf(world);
  assert.deepEqual([old!.place, bid!.place, old!.isLive, bid!.isLive], [0, 0, false, true]);
  assert.equal(Number(after.nonce), 0);
  assert.equal((await withdrawalOf(api, id)).tx_hash, bumped.txHash);
  assert.equal((await balanceOf(api)).held, "1.0051");
  await settleAll(world);
  const done = await withdrawalOf(api, id);
  assert.deepEqual([done.status, done.tx_hash], ["confirmed", bumped.txHash]);
  assert.deepEqual((await transfersOf(world)).map(({ state }) => state), ["superseded", "settled"]);
  const rows = await transactionsOf(api, "&direction=withdrawal");
  assert.deepEqual(rows.map((row) => [row.status, row.tx_hash]), [["confirmed", bumped.txHash]]);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  await anvil.rpc("evm_setAutomine", [true]);
  await auditPayer(world);
});

Deno.test("the first bid may be mined although a more expensive one was sent (hazard 43)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const { id, first } = await startWaiting(world);
  const { txHash } = await bumpWithdrawal(world.deps, { id, actor: ACTOR });
  await anvil.rpc("anvil_dropTransaction", [txHash]);
  const [original] = await transfersOf(world);
  await anvil.rpc("evm_setAutomine", [true]);
  await mineRaw(anvil, original!.raw);
  await world.round();
  assert.equal((await withdrawalOf(api, id)).tx_hash, first);
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const [row] = await transactionsOf(api, "&direction=withdrawal");
  assert.deepEqual([row!.status, row!.tx_hash], ["confirmed", first]);
  assert.deepEqual((await transfersOf(world)).map(({ state }) => state), ["settled", "superseded"]);
  await auditPayer(world);
});

Deno.test("a cancelled withdrawal fails as dropped once the empty transaction is mined for good", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const { id } = await startWaiting(world);
  const revoked = async () => [...await revokedWithdrawals(world.deps.db, [id])];
  assert.deepEqual(await revoked(), []);
  await revokeWithdrawal(world.deps, { id, actor: ACTOR });
  assert.deepEqual(await revoked(), [id]);
  await assert.rejects(revokeWithdrawal(world.deps, { id, actor: ACTOR }), OperatorError);
  await anvil.mine(1);
  await world.round();
  assert.equal(await statusOf(api, id), "broadcasted");
  assert.equal((await balanceOf(api)).held, "1.0051");
  await settleAll(world);
  assert.equal(await statusOf(api, id), "failed");
  assert.deepEqual(await balanceOf(api), { balance: "100", held: "0", available: "100" });
  const [reported] = await eventsOf(world.deps, "withdrawal.failed");
  assert.deepEqual([reported.id, reported.reason], [id, "dropped"]);
  const [row] = await transactionsOf(api, "&direction=withdrawal");
  assert.equal(row!.status, "failed");
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  assert.deepEqual(await alertsOf(world.deps), []);
  await anvil.rpc("evm_setAutomine", [true]);
  const [payment] = await transfersOf(world);
  await assert.rejects(mineRaw(anvil, payment!.raw), /nonce too low/);
  await auditPayer(world);
});

Deno.test("a payment that is mined before its cancellation stands", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const { id, first } = await startWaiting(world);
  await revokeWithdrawal(world.deps, { id, actor: ACTOR });
  const [payment, empty] = await transfersOf(world);
  await anvil.rpc("anvil_dropTransaction", [empty!.txHash]);
  await anvil.rpc("evm_setAutomine", [true]);
  await mineRaw(anvil, payment!.raw);
  await settleAll(world);
  const done = await withdrawalOf(api, id);
  assert.deepEqual([done.status, done.tx_hash], ["confirmed", first]);
  await assert.rejects(
    bumpWithdrawal(world.deps, { id, actor: ACTOR }),
    /it has no transaction on its/,
  );
  await assert.rejects(
    cancelWithdrawal(world.deps, { id, actor: ACTOR }),
    new RegExp(`Cannot cancel withdrawal ${id}: it is confirmed$`),
  );
  await auditPayer(world);
});

Deno.test("a stuck transfer bids again by itself after a while, within the operator's limit", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const { id } = await startWaiting(world);
  // Blocks pass, and each is too dear for it. The gateway may keep a price for a second, so each of
  // these prices must be above the operator's limit and below the network's.
  const mineAt = async (baseFeeRaw: number) => {
    await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [`0x${baseFeeRaw.toString(16)}`]);
    await anvil.mine(1);
  };
  for (let i = 0; i < 5; i++) await mineAt(5e9);
  const limit = async (gasPriceMaxRaw: string | null) =>
    void await setNetwork(world.deps, { code: "ETH", change: { gasPriceMaxRaw }, actor: ACTOR });
  await limit("1000000000");
  await world.round({ aheadMs: 200_000 });
  assert.equal((await transfersOf(world)).length, 1, "Dearer than the limit");
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["transfer_stuck"]);
  await limit(null);
  await mineAt(1e9);
  await world.round({ aheadMs: 400_000 });
  assert.equal((await transfersOf(world)).length, 2);
  assert.equal(await statusOf(api, id), "broadcasted");
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  await anvil.rpc("evm_setAutomine", [true]);
  await auditPayer(world);
});

Deno.test("the same bytes are resent on an operator's request, and only waiting ones can be", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { id, first } = await startWaiting(world);
  await anvil.rpc("anvil_dropTransaction", [first]);
  const { result } = await resendWithdrawal(world.deps, { id, actor: ACTOR });
  assert.equal(result, "accepted");
  assert.equal((await anvil.rpc("eth_getTransactionByHash", [first])).hash, first);
  await anvil.mine(1);
  await world.round();
  await assert.rejects(
    resendWithdrawal(world.deps, { id, actor: ACTOR }),
    /only waits for confirm/,
  );
  await assert.rejects(resendWithdrawal(world.deps, { id: 99, actor: ACTOR }), /no withdrawal 99/);
});

Deno.test("once a bid is in a block none may follow, and the withdrawal shows that one (hazard 43)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const { id, first } = await startWaiting(world);
  const { txHash } = await bumpWithdrawal(deps, { id, actor: ACTOR });
  await anvil.rpc("anvil_dropTransaction", [txHash]);
  const [original, newest] = await transfersOf(world);
  const [one] = await withPayments(deps.db, [
    await deps.db.get(SignedTransactions, [newest!.id]),
  ]);
  await anvil.rpc("evm_setAutomine", [true]);
  await mineRaw(anvil, original!.raw);
  await world.round();
  await assert.rejects(bumpWithdrawal(deps, { id, actor: ACTOR }), /is in block/);
  await assert.rejects(revokeWithdrawal(deps, { id, actor: ACTOR }), /is in block/);
  const network = present((await deps.catalog.current()).network("ETH"), "It was added");
  await assert.rejects(
    outbidTransfer(deps, { network, newest: one!, actor: ACTOR }),
    AlreadyMoved,
    "Also when it was found waiting just before",
  );
  assert.equal((await withdrawalOf(api, id)).tx_hash, first);
  await settleAll(world);
  const done = await withdrawalOf(api, id);
  assert.deepEqual([done.status, done.tx_hash], ["confirmed", first]);
  const rows = await transactionsOf(api, "&direction=withdrawal");
  assert.deepEqual(rows.map((row) => [row.status, row.tx_hash]), [["confirmed", first]]);
  const [reported] = await eventsOf(deps, "withdrawal.confirmed");
  assert.equal(reported.tx_hash, first);
  await auditPayer(world);
});
