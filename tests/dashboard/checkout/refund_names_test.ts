import assert from "node:assert/strict";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { isOnceKey } from "../../../src/dashboard/parts/once.tsx";
import { Refunds } from "../../../src/refunds/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { payoutName, typedReference } from "../../../src/withdrawals/words/payout_name.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { askForApprovals, startPayingWorld } from "../../support/payouts.ts";

const ORDER = "Order 1042 · Book · Ann";
const DETAILS = { reference: "1042", description: "Book", customer: "Ann" };
const ONCE = "AbcdefghijklmnopQR-_";
const MADE_UP = `dashboard-${ONCE}`;

Deno.test("a refund is called what it gives back, and a form's own key is nobody's word", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world, DETAILS);
  const { token } = await makeLogin(deps, { accountId });
  const approver = await makeLogin(deps, { role: "approver" });
  const show = async (path: string, as = token) =>
    (await (await dashboardFetch(url, { path, token: as })).text()).replaceAll("&#39;", "'");
  const send = async (path: string, change: Record<string, string>) => {
    const form = { csrf: csrfOf(token), asset: "ETH/ETH", to_address: STRANGER, ...change };
    return await (await dashboardFetch(url, { path, token, form })).text();
  };
  await send(`/invoices/${id}/refund`, { once: ONCE, amount: "0.001" });
  const link = await send(`/invoices/${id}/refund-link`, { link_amount: "0.002" });
  await askForApprovals(deps);
  const [, path] = /(\/refund\/[\w-]{22})</.exec(link) ?? assert.fail("No link");
  const body = new URLSearchParams({ address: `0x${"b0".repeat(20)}` });
  await (await fetch(url + path, { method: "POST", body, redirect: "manual" })).body?.cancel();
  const rows = await deps.db.rows(Withdrawals, "ORDER BY id");
  assert.deepEqual(rows.map((row) => [row.clientReference, typedReference(row)]), [
    [MADE_UP, null],
    [null, null],
  ]);

  const list = await show("/withdrawals");
  const named = `Refund of ${ORDER}`;
  assert.equal(list.split(`>${named}</bdi>`).length - 1, 2);
  const link42 =
    `Refund of <a href="/dashboard/invoices/${id}"><bdi class="whole">${ORDER}</bdi></a>`;
  for (const row of rows) {
    const page = await show(`/withdrawals/${row.id}`);
    assert.match(page, new RegExp(`<h1[^>]*>(?:<[^>]*>)*${named}`));
    assert.ok(page.includes(`<dt>For</dt><dd>${link42}</dd>`));
  }
  const inbox = await show("/inbox");
  assert.ok(inbox.includes(link42));
  assert.doesNotMatch(inbox, /no reference/);
  const asked = await show("/withdrawals/2", approver.token);
  assert.ok(asked.includes(`For\t${named}`), "The question has it");
  const found = await show(`/search?q=${STRANGER.slice(0, 12)}`);
  assert.match(found, /Payout 1/);
  for (const page of [list, inbox, asked, found, await show("/withdrawals/1")]) {
    assert.doesNotMatch(page.replaceAll(/<form[^]*?<\/form>/g, ""), new RegExp(MADE_UP));
  }

  // Rows that somebody else wrote name nothing.
  await deps.db.query("UPDATE refunds SET invoice_id = invoice_id + 0, seal = 'x'");
  assert.equal((await deps.db.list(Refunds, { invoiceId: id })).length, 2);
  assert.ok(!(await show("/withdrawals")).includes(named));
});

Deno.test("a payout is called what it gives back, to whom it goes, or what for", () => {
  const row = { id: 7, accountId: 1, network: "ETH", toAddress: STRANGER, clientReference: "a" };
  const order = { id: 3, ...DETAILS, status: "paid", sums: null } as const;
  const none = { payees: () => undefined, refunds: new Map() };
  const some = { payees: () => "Supplier", refunds: new Map([[7, order]]) };
  assert.ok(isOnceKey(MADE_UP));
  const short = `${STRANGER.slice(0, 8)}…${STRANGER.slice(-6)}`;
  assert.deepEqual([
    payoutName(row, some),
    payoutName(row, { ...some, refunds: none.refunds }),
    payoutName(row, none),
    payoutName({ ...row, clientReference: MADE_UP }, none),
    payoutName({ ...row, clientReference: "Refund of Order 1042" }, none),
  ], [`Refund of ${ORDER}`, "Supplier", "a", short, '"Refund of Order 1042"']);
});
