import assert from "node:assert/strict";
import { COMMAND_LINE } from "../../../src/approvals/decider.ts";
import { lookAtPayout } from "../../../src/approvals/look.ts";
import { rejectWithdrawal } from "../../../src/approvals/reject.ts";
import { ApprovalRequests } from "../../../src/approvals/table.ts";
import { runIn } from "../../cli/world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { askForApprovals, settleAll, startPayingWorld } from "../../support/payouts.ts";

const DAY_MS = 86_400_000;
/** Begins and ends like the stranger's. */
const TRAP = STRANGER.slice(0, 6) + "7".repeat(32) + STRANGER.slice(-4);
const CLI = { person: COMMAND_LINE, actor: "cli", user: undefined };

Deno.test("whoever decides compares with what was paid, not with what waited or was rejected", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  let asked = 0;
  const order = async (to_address: string, amount: string): Promise<number> => {
    const body = { network: "ETH", currency: "ETH", to_address, amount };
    const reply = await api.post("/v1/withdrawals", { ...body, client_reference: `${++asked}` });
    return reply.body.data.withdrawal_id;
  };
  const paid = await order(STRANGER, "1");
  await settleAll(world);
  await askForApprovals(deps);
  await order(STRANGER, "50");
  await rejectWithdrawal(deps, { id: await order(TRAP, "3"), decider: CLI, reason: "a trap" });
  const request = await deps.db.get(ApprovalRequests, [await order(STRANGER, "2")]);

  const look = await lookAtPayout(deps, request);
  assert.deepEqual(look.ofAccount, { count: 1, median: null, largest: "1" });
  assert.deepEqual([look.toRecipient.count, look.lastToRecipient?.id], [1, paid]);
  assert.equal(look.looksLike, undefined);

  const [listed] = JSON.parse((await runIn(world, ["approval", "list", "--json"])).out)
    .filter((one: { withdrawal_id: number }) => one.withdrawal_id === request.withdrawalId);
  assert.deepEqual(listed.account_30_days, { count: 1, median: null, largest: "1" });
  const { amount, paid_before, last_paid, looks_like, requested_from } = listed;
  assert.deepEqual([amount, paid_before, looks_like, requested_from], ["2", 1, null, "127.0.0.1"]);
  assert.deepEqual(last_paid, { amount: "1", currency: "ETH" });

  const clock = { nowMs: () => deps.clock.nowMs() + 31 * DAY_MS };
  const later = await lookAtPayout({ ...deps, clock }, request);
  assert.equal(later.ofRecipient.count, 0);
  assert.equal(later.lastToRecipient?.id, paid);

  const rule = ["--label", "x", "--currency", "ETH", "--max-payment", "2", "--then", "refuse"];
  const { out } = await runIn(world, ["policy", "preview", ...rule, "--json"]);
  const { sentence, payments, allow, refuse, stopped } = JSON.parse(out);
  assert.equal(sentence, "A payout in ETH is refused if it is above 2 ETH.");
  assert.deepEqual([payments, allow, refuse], [4, 2, 2]);
  assert.deepEqual(stopped.map((one: { amount: string }) => one.amount), ["3", "50"]);
});
