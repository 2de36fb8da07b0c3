import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { deciderOf } from "../../../src/approvals/decider.ts";
import { rejectWithdrawal } from "../../../src/approvals/reject.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { RefundLinks } from "../../../src/refunds/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { askForApprovals, receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import {
  ETH,
  linkTo,
  paidInvoice,
  PAYERS,
  refund,
  refundsOf,
  submit,
  UNIT,
  USDT,
} from "./_refunding.ts";

Deno.test("64 refunds at once never give back more than was credited in each currency", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  const token = await world.addToken();
  const id = await paidInvoice(world, token);
  // More of both in the books than was paid for this invoice.
  await paidInvoice(world, token);
  await adjustBalance(deps, { accountId, ...USDT, amount: "100", note: "test", actor: "test" });
  await askForApprovals(deps);
  const all = await Promise.all(
    Array.from(
      { length: 64 },
      (_, i) => refund(world, id, i % 2 === 0 ? { ...ETH } : { ...USDT, amount: "0.5" }),
    ),
  );
  const held = all.filter(({ code }) => code === "ok").map(({ data }) => data);
  const refused = all.filter(({ code }) => code !== "ok").map(({ code }) => code);
  assert.deepEqual(new Set(refused), new Set(["400 refund_too_high"]));
  const count = (symbol: string) => held.filter(({ currency }) => currency === symbol).length;
  assert.deepEqual([count("ETH"), count("USDT")], [10, 10]);
  assert.ok(held.every(({ status }) => status === "pending"));
  assert.equal((await refundsOf(world, id)).length, 20);
  // Rejected and cancelled ones leave their room to others, and no more than that.
  const [first, second] = held.filter(({ currency }) => currency === "ETH");
  const decider = { person: "cli", actor: "cli", user: undefined };
  await rejectWithdrawal(deps, { id: first.withdrawal_id, decider, reason: "no" });
  await cancelWithdrawal(deps, { id: second.withdrawal_id, actor: "test" });
  const again = await Promise.all(Array.from({ length: 4 }, () => refund(world, id, {})));
  assert.equal(again.filter(({ code }) => code === "ok").length, 2);
  const rows = await deps.db.rows(Withdrawals, "WHERE account_id = ?", [accountId]);
  assert.equal(rows.length, 22);
  // Whoever deletes what was asked for gains nothing.
  await deps.db.execute([{ sql: "DELETE FROM refund_totals" }]);
  assert.equal((await refund(world, id, {})).code, "503 unavailable");
});

Deno.test("a refund is a withdrawal: paid, replayed, below the minimum, refused by a rule, failed", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, hotWallet } } = world;
  const id = await paidInvoice(world);
  const named = { amount: "0.004", client_reference: "back" };
  const { data, reply } = await refund(world, id, named);
  assert.deepEqual([reply.status, data.status, data.amount_decimal], [200, "broadcasted", "0.004"]);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 4n * UNIT);
  const listed = { withdrawal_id: data.withdrawal_id, ...ETH, amount: "0.004" };
  assert.deepEqual(await refundsOf(world, id), [{ ...listed, status: "confirmed" }]);

  const replays = async (target: string, body: object) => {
    const { headers, body: { data } } = await api.post(`${target}`, body);
    return [headers.get("x-cpg-replay"), data.id];
  };
  const order = { ...ETH, to_address: STRANGER, ...named };
  const other = await paidInvoice(world);
  const { withdrawal_id } = data;
  assert.deepEqual(await replays(`/v1/invoices/${id}/refunds`, order), ["same", withdrawal_id]);
  assert.deepEqual(
    await replays(`/v1/invoices/${other}/refunds`, order),
    ["different", withdrawal_id],
  );
  assert.deepEqual(await replays("/v1/withdrawals", order), ["same", withdrawal_id]);
  assert.deepEqual(await refundsOf(world, other), []);

  assert.equal(
    (await refund(world, id, { amount: "0.006000000000000001" })).code,
    "400 refund_too_high",
  );
  assert.equal(
    (await refund(world, id, { amount: "0.0000000000000000009" })).code,
    "400 amount_below_minimum",
  );
  assert.equal(
    (await refund(world, id, { to_address: "0x1234567890" })).code,
    "400 invalid_address",
  );
  assert.equal((await refund(world, id, { currency: "NOPE" })).code, "404 currency_not_found");
  assert.equal((await refund(world, id, { amount: "1000" })).code, "400 refund_too_high");
  assert.equal((await refund(world, id + 100, {})).code, "404 not_found");
  const stranger = { ...world, merchant: await world.addMerchant("Other") };
  assert.equal((await refund(stranger, id, {})).code, "404 not_found");

  await addPolicy(deps, {
    ...{ label: "Never", accountId, keyId: null, network: null, currency: null, each: null },
    ...{ condition: "max_payment", cap: "0.005", outcome: "refuse", approvals: 1 },
    ...{ expiresMs: 1, setBy: "operator", actor: "test", currency: "ETH" },
  });
  assert.equal((await refund(world, id, { amount: "0.006" })).code, "403 policy_refused");
  // A refund that fails leaves its room to the next one.
  await setBalance(anvil, hotWallet, 0n);
  const failed = await refund(world, id, { amount: "0.005" });
  assert.equal(failed.code, "502 broadcast_rejected");
  assert.equal((await refundsOf(world, id)).at(-1).status, "failed");
  await setBalance(anvil, hotWallet, ETHER);
  assert.equal((await refund(world, id, { amount: "0.005" })).code, "ok");
  assert.equal((await refund(world, id, { amount: "0.002" })).code, "400 refund_too_high");
  assert.deepEqual(world.faults, []);
});

Deno.test("a refund link asks once for an address, and pays once somebody approves it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, credentials } } = world;
  const id = await paidInvoice(world);
  const linkFor = (asked: object = {}) => linkTo(world, id, asked);
  assert.equal(await linkFor({ amount: "0.011" }), "refund_too_high");
  assert.equal(await linkFor({ amount: "0.0000000000000000009" }), "amount_below_minimum");
  const url = await linkFor();
  assert.match(url, /\/refund\/[\w-]{22}$/);
  const stored = JSON.stringify(await deps.db.query("SELECT * FROM refund_links"));
  assert.ok(!stored.includes(url.split("/").at(-1)!));

  const seen = await fetch(`${url}?lang=de`);
  const html = await seen.text();
  assert.match(html, /Rückzahlung von Acme/);
  assert.equal(seen.headers.get("referrer-policy"), "no-referrer");
  assert.ok(!html.includes("0.01") && !/0x[0-9a-f]{8}/i.test(html), "Nothing else is shown");
  assert.equal((await submit(url, "0x1234567890")).status, 400);
  assert.deepEqual(await refundsOf(world, id), []);
  const both = await Promise.all([submit(url, PAYERS), submit(url, STRANGER), submit(url, PAYERS)]);
  assert.ok(
    both.every(({ status }) => status === 303 || status === 200),
    `${both.map(({ status }) => status)}`,
  );
  const refunds = await refundsOf(world, id);
  assert.deepEqual(refunds.map((one: { status: string }) => one.status), ["pending"]);
  assert.match(await (await fetch(url)).text(), /Thank you\. Acme checks this/);
  await settleAll(world);
  assert.equal((await refundsOf(world, id))[0].status, "pending", "Nobody has approved it");
  const [{ withdrawal_id }] = refunds;
  const email = "finance@example.com";
  const user = await createUser(deps, { email, role: "finance", accountId, actor: "test" }, null);
  const decider = deciderOf(user, `user:${user.id}`);
  await approveWithdrawal(deps, { id: withdrawal_id, decider });
  await settleAll(world);
  assert.equal((await refundsOf(world, id))[0].status, "confirmed");

  const [old, orphan] = [await linkFor({ amount: "0.001" }), await linkFor({ amount: "0.001" })];
  const [row] = await deps.db.rows(RefundLinks, "WHERE id = 2");
  await deps.db.write({
    reads: [{ table: RefundLinks, key: "primary", values: [2], text: 2 }],
    decide: (view) =>
      view.update(RefundLinks, view.get(RefundLinks, [2]), { expiresAtMs: row!.createdAtMs }),
  });
  assert.equal((await submit(old, PAYERS)).status, 410);
  await revokeApiKey(deps, { keyId: credentials.keyId, actor: "test" });
  assert.equal((await submit(orphan, PAYERS)).status, 410);
  assert.equal((await fetch(`${world.url}/refund/${"A".repeat(22)}`)).status, 404);
  assert.equal((await deps.db.rows(Withdrawals, "WHERE account_id = ?", [accountId])).length, 1);
});
