import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const PRICE = { kind: "manual", actor: "test", base: "ETH" } as const;

/** The last columns of each line, the newest row first. */
async function lastCells(
  { url, token, path }: { url: string; token: string; path: string },
  count: number,
): Promise<string[]> {
  const text = await (await dashboardFetch(url, { path, token })).text();
  return text.trimEnd().split("\r\n").map((line) => line.split(",").slice(-count).join(","));
}

Deno.test("exported payments say which order they were for, and what they counted for then", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const payments = () => lastCells({ url, token, path: "/transactions/export.csv" }, 7);
  const payUnasked = async () => {
    const { address } = await allocate(api, { user: "ben" });
    await payIn(world, { to: address, raw: ETHER });
    await settleAll(world);
    await settleAll(world);
  };
  await addSource(deps, { ...PRICE, quote: "USD", value: "2500" });
  await addSource(deps, { ...PRICE, quote: "EUR", value: "2000" });
  const details = { reference: "1042", description: "Book", customer: "Ann" };
  await partlyPaidInvoice(world, details, { amount: "20", currency: "EUR" });
  await payUnasked();
  await partlyPaidInvoice(world, { reference: "=1043" });
  assert.deepEqual(await payments(), [
    "user_identifier,invoice_id,reference,description,customer,value,value_currency",
    ",2,'=1043,,,0.004,ETH",
    "ben,,,,,,",
    ",1,1042,Book,Ann,8,EUR",
  ], "what it is worth now isn't what it was worth");

  await setAccount(deps, { id: accountId, change: { reporting: "USD" }, actor: "test" });
  await payUnasked();
  await partlyPaidInvoice(world, {}, { amount: "20", currency: "EUR" });
  const [, inEuros, unasked, , , before] = await payments();
  assert.equal(inEuros, ",3,,,,10,USD", "in the owner's currency");
  assert.equal(unasked, "ben,,,,,2500,USD");
  assert.equal(before, ",1,1042,Book,Ann,8,EUR", "nobody knows what it was in dollars");
});

Deno.test("exported payouts say which invoice they refund", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  await partlyPaidInvoice(world);
  const { id } = await partlyPaidInvoice(world);
  const wish = { network: "ETH", currency: "ETH", amount: "0.001", to_address: STRANGER };
  await api.post("/v1/withdrawals", { ...wish, client_reference: "first" });
  sentId(await api.post(`/v1/invoices/${id}/refunds`, wish));
  const { token } = await makeLogin(deps, { accountId });
  const lines = await lastCells({ url, token, path: "/withdrawals/export.csv" }, 1);
  assert.deepEqual(lines, ["invoice_id", String(id), ""]);
  await deps.db.execute([{ sql: "UPDATE refunds SET invoice_id = 1" }]);
  const forged = await lastCells({ url, token, path: "/withdrawals/export.csv" }, 1);
  assert.deepEqual(forged, ["invoice_id", "", ""], "somebody else wrote it");
});
