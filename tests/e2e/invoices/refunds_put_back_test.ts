import assert from "node:assert/strict";
import { adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { deciderOf } from "../../../src/approvals/decider.ts";
import { refundByHand } from "../../../src/refunds/by_hand.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { setApiKey } from "../../../src/access/set_api_key.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { ApprovalRequests } from "../../../src/approvals/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { ETH, linkTo, paidInvoice, PAYERS, refund, refundsOf, submit } from "./_refunding.ts";

const CLI = { person: "cli", actor: "cli", user: undefined };

Deno.test("refunds aren't paid again because rows were deleted or old ones put back", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const one = await paidInvoice(world);
  assert.equal((await refund(world, one, { amount: "0.01" })).code, "ok");
  await deps.db.execute([{ sql: "DELETE FROM refunds" }, { sql: "DELETE FROM refund_totals" }]);
  assert.equal((await refund(world, one, { amount: "0.01" })).code, "503 unavailable");

  await using other = await startPayingWorld({ anvil });
  const two = await paidInvoice(other);
  assert.equal((await refund(other, two, { amount: "0.001" })).code, "ok");
  const totals = `FROM refund_totals WHERE invoice_id = ${two}`;
  const [old] = await other.deps.db.query(`SELECT seal, asked ${totals}`);
  await refund(other, two, { amount: "0.009" });
  await other.deps.db.execute([
    {
      sql: "UPDATE refund_totals SET asked = ?, seal = ? WHERE invoice_id = ?",
      args: [old!.asked!, old!.seal!, two],
    },
    { sql: "DELETE FROM refunds WHERE withdrawal_id = (SELECT max(withdrawal_id) FROM refunds)" },
  ]);
  assert.equal((await refund(other, two, { amount: "0.009" })).code, "503 unavailable");
});

Deno.test("an invoice has 1,000 refunds at most, so that no look at it takes long", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const id = await paidInvoice(world);
  assert.equal((await refund(world, id, { amount: "0.001" })).code, "ok");
  const detail = { ...ETH, amount: "0" };
  const action = "invoice.refunded" as const;
  const said = { actor: "test", action, subject: `invoice:${id}`, detail };
  await deps.db.write({
    reads: [],
    decide: (view) => {
      for (let i = 1; i < 1_000; i++) recordAudit(view, { ...said, nowMs: view.nowMs });
    },
  });
  assert.equal((await refund(world, id, { amount: "0.002" })).code, "400 refund_too_high");
});

Deno.test("a refund link isn't open because of an old row of it, or of its key", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { credentials: { keyId } } } = world;
  const three = await paidInvoice(world);
  const used = await linkTo(world, three, { amount: "0.002" });
  const other = await linkTo(world, three, { amount: "0.002" });
  const [link] = await deps.db.query("SELECT id, seal FROM refund_links ORDER BY id LIMIT 1");
  await submit(used, PAYERS);
  await deps.db.execute([{
    sql: "UPDATE refund_links SET withdrawal_id = NULL, seal = ? WHERE id = ?",
    args: [link!.seal!, link!.id!],
  }]);
  await submit(used, STRANGER);
  assert.equal((await refundsOf(world, three)).length, 1);

  await setApiKey(deps, { keyId, change: { permissions: ["read_invoices"] }, actor: "test" });
  assert.equal((await submit(other, PAYERS)).status, 410, "Its key may not refund any more");
  await setApiKey(deps, {
    ...{ keyId, actor: "test" },
    change: { permissions: ["withdraw", "manage_invoices", "read_invoices"] },
  });
  const [key] = await deps.db.query(`SELECT seal FROM api_keys WHERE key_id = '${keyId}'`);
  await revokeApiKey(deps, { keyId, actor: "test" });
  await deps.db.execute([{
    sql: "UPDATE api_keys SET revoked_at_ms = NULL, seal = ? WHERE key_id = ?",
    args: [key!.seal!, keyId],
  }]);
  assert.equal((await submit(other, PAYERS)).status, 410, "Its key was revoked");
});

Deno.test("after a restore, old links ask for nothing, and refunds of old invoices wait for approval", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const id = await paidInvoice(world);
  const { pathname } = new URL(await linkTo(world, id, { amount: "0.01" }));
  await using backup = await takeBackup(world);
  await submit(world.url + pathname, PAYERS);
  const [{ withdrawal_id }] = await refundsOf(world, id);
  await approveWithdrawal(world.deps, { id: withdrawal_id, decider: CLI });
  await settleAll(world);
  assert.equal(await receivedBy(anvil, PAYERS), 10n ** 16n);
  const { txHash } = await world.deps.db.get(Withdrawals, [withdrawal_id]);
  await backup.bringBack();
  await settleAll(world);
  await adoptByHash(world.deps, {
    ...{ network: "ETH", actor: "test", txHash: txHash! },
    terms: { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined },
  });
  assert.equal((await submit(world.url + pathname, STRANGER)).status, 410);

  // Its merchant asks again: the wallet pays again, but this only once somebody has looked.
  const { deps, merchant: { hotWallet, accountId } } = world;
  const wallet = { network: "ETH", address: hotWallet, actor: "test" };
  await resumeWallet(deps, { ...wallet, isAnyway: true });
  const again = await refund(world, id, { amount: "0.004" });
  assert.deepEqual([again.code, again.data.status], ["ok", "pending"]);
  const requested = await deps.db.get(ApprovalRequests, [again.data.withdrawal_id]);
  assert.match(requested.rules[0]?.label ?? "", /^Invoice \d+ is from before a restore/);
  assert.equal(requested.requestedBy, null, "the command line made the key");
  const owner = await makeLogin(deps, { accountId });
  const actor = `user:${owner.user.id}`;
  const asked = await refundByHand(deps, {
    ...{ invoiceId: id, accountId, network: "ETH", currency: "ETH" },
    ...{ toAddress: STRANGER, amount: "0.001", clientReference: "looked", actor },
  });
  const own = deciderOf(owner.user, actor);
  await assert.rejects(
    approveWithdrawal(deps, { id: asked.id, decider: own }),
    /asked for it yourself/,
  );
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  const fresh = await paidInvoice(world);
  const direct = await refund(world, fresh, { amount: "0.004" });
  assert.equal(direct.data.status, "broadcasted", "An invoice made since is refunded at once");
  const link = await linkTo(world, fresh, { amount: "0.001" });
  assert.equal((await submit(link, PAYERS)).status, 303, "A link made since works");
});
