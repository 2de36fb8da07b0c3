import assert from "node:assert/strict";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { lookAtPayout } from "../../../src/approvals/look.ts";
import { reverseDeposit } from "../../../src/deposits/reverse.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { whyUnsigned } from "../../../src/payouts/why_unsigned.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { ApprovalRequests } from "../../../src/approvals/table.ts";
import { InvoicePayments } from "../../../src/invoices/tables/invoices.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { rpcError, startNodeDouble } from "../../support/nodes/node_double.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { STRANGER } from "../../support/payers.ts";
import { askForApprovals, receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { depositsOf } from "../../support/views.ts";
import type { World } from "../../support/world.ts";
import { linkTo, paidInvoice, PAYERS, refund, refundsOf, submit, UNIT } from "./_refunding.ts";

const CLI = { person: "cli", actor: "cli", user: undefined };
const TAKEN_BACK = /left to refund of invoice \d+, because a payment was taken back$/;

async function reverseAll({ deps }: World, invoiceId: number) {
  const paid = await deps.db.list(InvoicePayments, { invoiceId });
  for (const { transactionId: id } of paid) {
    await reverseDeposit(deps, { id, note: "gone", actor: "test" });
  }
}

const approve = ({ deps }: World, id: number) => approveWithdrawal(deps, { id, decider: CLI });

async function whysOf({ deps }: World, id: number) {
  return await whyUnsigned(deps, await deps.db.get(Withdrawals, [id]));
}

Deno.test("checkout: an approval pays no refund whose deposit was reversed, and says so", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const id = await paidInvoice(world);
  await submit(await linkTo(world, id, { amount: "0.004" }), PAYERS);
  await askForApprovals(deps);
  const { data } = await refund(world, id, { amount: "0.003" });
  const ids = (await refundsOf(world, id)).map((one: { withdrawal_id: number }) =>
    one.withdrawal_id
  );
  assert.ok(ids.includes(data.withdrawal_id));
  await reverseAll(world, id);
  for (const one of ids) {
    await assert.rejects(approve(world, one), { code: "approval_held_back", message: TAKEN_BACK });
    const request = await deps.db.get(ApprovalRequests, [one]);
    const { heldBack } = await lookAtPayout(deps, request);
    assert.equal(heldBack?.code, "refund_too_high");
    const [why] = await whysOf(world, one);
    assert.deepEqual(why, { code: "held_back", why: heldBack });
  }
  await settleAll(world);
  const states = async () =>
    (await refundsOf(world, id)).map(({ status }: { status: string }) => status);
  assert.deepEqual(await states(), ["pending", "pending"]);
  await cancelWithdrawal(deps, { id: ids[0], actor: "test" });
  assert.deepEqual(await states(), ["cancelled", "pending"]);
  assert.equal(await receivedBy(anvil, PAYERS), 0n);
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  assert.deepEqual(world.faults, []);
});

Deno.test("checkout: of two refunds that wait, what is left pays the one that is approved first", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const id = await paidInvoice(world);
  const [paid] = await depositsOf(api);
  await sendTx(anvil, { to: paid!.to_address, valueRaw: 2n * UNIT });
  await settleAll(world);
  await askForApprovals(deps);
  const asked = async (amount: string) =>
    (await refund(world, id, { amount })).data.withdrawal_id as number;
  const [large, small] = [await asked("0.01"), await asked("0.002")];
  const [newest] = await depositsOf(api);
  await reverseDeposit(deps, { id: newest!.id, note: "gone", actor: "test" });
  await approve(world, small);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 2n * UNIT);
  await assert.rejects(approve(world, large), /Only 0\.008 ETH is left/);
});

Deno.test("checkout: a refund that was approved and waits for the node asks again when it is signed", async () => {
  await using anvil = await startAnvil();
  let isBusy = false;
  await using double = await startNodeDouble(
    anvil.url,
    (call, ask) => isBusy ? Promise.resolve(rpcError(call, "busy")) : ask(),
  );
  await using world = await startPayingWorld({ anvil, rpcUrls: [double.url] });
  const { deps } = world;
  const id = await paidInvoice(world);
  await askForApprovals(deps);
  const { withdrawal_id } = (await refund(world, id, { amount: "0.003" })).data;
  isBusy = true;
  const { row } = await approve(world, withdrawal_id);
  isBusy = false;
  assert.deepEqual([row.status, row.approval], ["pending", "approved"]);
  await reverseAll(world, id);
  await settleAll(world);
  await world.round({ aheadMs: 60_000 });
  await assert.rejects(broadcastWithdrawal(deps, row, { actor: "worker" }), { name: "Held" });
  assert.equal((await deps.db.get(Withdrawals, [row.id])).status, "pending");
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  assert.deepEqual((await whysOf(world, row.id)).map(({ code }) => code), ["held_back"]);
});

Deno.test("checkout: a refund that waits for its invoice is looked at ever less often, until it changes", async () => {
  await using anvil = await startAnvil();
  let isBusy = false;
  await using double = await startNodeDouble(
    anvil.url,
    (call, ask) => isBusy ? Promise.resolve(rpcError(call, "busy")) : ask(),
  );
  await using world = await startPayingWorld({ anvil, rpcUrls: [double.url] });
  const { deps, merchant: { api } } = world;
  const id = await paidInvoice(world);
  const [{ to_address: address } = assert.fail()] = await depositsOf(api);
  await askForApprovals(deps);
  const { withdrawal_id } = (await refund(world, id, { amount: "0.003" })).data;
  isBusy = true;
  await approve(world, withdrawal_id);
  isBusy = false;
  await reverseAll(world, id);
  const pauseIn = async (aheadMs: number) => {
    await anvil.mine(1);
    await world.round({ aheadMs });
    return deps.memory.refundWaits.get(withdrawal_id)?.forMs;
  };
  const minutes = Array.from({ length: 60 }, (_, i) => (i + 1) * 60_000);
  const pauses = [await pauseIn(30_000), await pauseIn(30_000), await pauseIn(45_000)];
  assert.equal(pauses.join(" "), "10000 10000 20000");
  for (const aheadMs of minutes) pauses.push(await pauseIn(aheadMs));
  // Ten minutes are the longest: one looks at 1, 2, 4, 7, 13, 23, 33, 43 and 53 minutes or so.
  assert.equal(pauses.at(-1), 600_000);
  const looks = pauses.filter((forMs, i) => forMs !== pauses[i - 1]).length;
  assert.equal(looks, 7, pauses.join(" "));

  await judgeDue(deps);
  assert.equal(deps.memory.refundWaits.size, 0);
  assert.equal(await pauseIn(0), 10_000);
  await sendTx(anvil, { to: address, valueRaw: 5n * UNIT });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  await judgeDue(deps);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 3n * UNIT);
  assert.equal((await deps.db.get(Withdrawals, [withdrawal_id])).status, "broadcasted");
  assert.deepEqual(world.faults, []);
});

Deno.test("checkout: a deposit that a reorganisation took holds its refund back until it is mined again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const id = await paidInvoice(world);
  await askForApprovals(deps);
  const { withdrawal_id } = (await refund(world, id, { amount: "0.003" })).data;
  const [deposit] = await depositsOf(api);
  const raw = await anvil.rpc("eth_getRawTransactionByHash", [deposit!.tx_hash]);
  await anvil.rpc("anvil_reorg", [5, []]);
  await world.round({ aheadMs: 30_000 });
  await assert.rejects(approve(world, withdrawal_id), { code: "approval_held_back" });
  await anvil.rpc("eth_sendRawTransaction", [raw]);
  await settleAll(world);
  await approve(world, withdrawal_id);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 3n * UNIT);
});
