import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { STRANGER } from "../../support/payers.ts";
import { addPayee } from "../../../src/payees/payees.ts";
import { allocate } from "../../support/views.ts";
import { livedIn, sweptOn } from "../lived_in.ts";

Deno.test("the export has the rows of the filter, in a form for spreadsheets", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const { token } = await makeLogin(deps, { accountId });
  const lines = async (query: string, list = "transactions") => {
    const path = `/${list}/export.csv${query}`;
    const answer = await dashboardFetch(url, { path, token });
    const file = `attachment; filename="${list}.csv"`;
    assert.equal(answer.headers.get("content-disposition"), file);
    return (await answer.text()).trimEnd().split("\r\n");
  };
  const [title, ...all] = await lines("");
  assert.ok(title!.startsWith("id,account_id,detected_at,confirmed_at,direction,network,currency"));
  assert.equal(all.length, 3);
  const deposits = await lines("?direction=deposit");
  assert.equal(deposits.length, 2);
  assert.match(deposits[1]!, /^2,1,20\d\d-.*,deposit,ETH,ETH,1,confirmed,false,0x[0-9a-f]{64},/);
  assert.equal((await lines("?direction=deposit&status=failed")).length, 1);

  await sweptOn(world);
  const [withdrawalTitle, ...withdrawals] = await lines("", "withdrawals");
  assert.match(
    withdrawalTitle!,
    /^id,account_id,client_reference,requested_at,.*,to_address,tx_hash\b/,
  );
  const columns = withdrawalTitle!.split(",").length;
  for (const line of withdrawals) assert.equal(line.split(",").length, columns, line);
  assert.match(
    withdrawals.at(-1)!,
    /^1,1,first,20\d\d-[^,]*,20\d\d-[^,]*,20\d\d-[^,]*,ETH,ETH,1\.25,[\d.]+,confirmed,,0x\w{40},0x\w{64}\b/,
  );
  const [sweepTitle, ...sweeps] = await lines("", "sweeps");
  assert.match(sweepTitle!, /^id,account_id,created_at,network,currency,amount,state,.*,tx_hash$/);
  assert.match(
    sweeps.at(-1)!,
    /^1,1,20\d\d-[^,]*,ETH,ETH,0\.9\d+,done,,0x\w{40},0x\w{64}$/,
  );
});

Deno.test("no export has a row that somebody else wrote", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  await makeInvoice(deps, { accountId });
  const { token } = await makeLogin(deps, { accountId });
  for (const list of ["invoices", "withdrawals", "transactions"]) {
    const text = async () =>
      await (await dashboardFetch(url, { path: `/${list}/export.csv`, token })).text();
    assert.ok((await text()).trimEnd().split("\r\n").length > 1, list);
    await deps.db.execute([{ sql: `UPDATE ${list} SET amount = '9999'` }]);
    assert.ok(!(await text().catch(String)).includes("9999"), list);
  }
});

Deno.test("a reference that a spreadsheet would split or run as a formula is one cell of text", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  const cells = { "a;=1+1": `"a;'=1+1"`, "=1+1": "'=1+1", "b\t=1": `"b\t'=1"`, "c,d": '"c,d"' };
  const order = { network: "ETH", currency: "ETH", to_address: STRANGER, amount: "1" };
  for (const reference of Object.keys(cells)) {
    await api.post("/v1/withdrawals", { ...order, client_reference: reference });
  }
  const { token } = await makeLogin(deps, { accountId });
  const answer = await dashboardFetch(url, { path: "/withdrawals/export.csv", token });
  const text = await answer.text();
  for (const cell of Object.values(cells)) assert.ok(text.includes(`,${cell},20`), cell);
});

Deno.test("customers and payees are exported too, each account's own, all of them", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  await allocate(api, { user: "ann" });
  const other = await world.addMerchant("Other");
  await allocate(other.api, { user: "bob" });
  const place = { network: "ETH", address: STRANGER, usableAfterMs: 0, actor: "test" };
  await addPayee(deps, { ...place, accountId, label: "=Roastery" });
  await addPayee(deps, { ...place, accountId: other.accountId, label: "Not mine" });
  const { token } = await makeLogin(deps, { accountId });
  const lines = async (list: string, query = "") => {
    const page = await (await dashboardFetch(url, { path: `/${list}${query}`, token })).text();
    assert.ok(
      page.includes(`href="/dashboard/${list}/export.csv${query}"`),
      "its page leads there",
    );
    const path = `/${list}/export.csv${query}`;
    return (await (await dashboardFetch(url, { path, token })).text()).trimEnd().split("\r\n");
  };
  const [titles, ...customers] = await lines("customers");
  assert.equal(titles, "customer,account_id,network,address,issued_at");
  assert.equal(customers.length, 1);
  assert.match(customers[0]!, new RegExp(`^ann,${accountId},ETH,0x\\w{40},20\\d\\d-`));
  const [names, ...payees] = await lines("payees", `?account=${accountId}`);
  assert.equal(names, "id,account_id,name,network,address,usable_at,added_at");
  assert.equal(payees.length, 1);
  assert.match(payees[0]!, new RegExp(`^1,${accountId},'=Roastery,ETH,${STRANGER},20\\d\\d-`));
  await deps.db.execute([{ sql: "UPDATE payees SET label = 'Forged'" }]);
  const answer = dashboardFetch(url, { path: "/payees/export.csv", token });
  assert.ok(!(await answer.then((it) => it.text()).catch(String)).includes("Forged"));
});
