import assert from "node:assert/strict";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { STRANGER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { ETH, paidInvoice, refund, UNIT } from "./_refunding.ts";

const NAMES = ["client_reference", "invoice_id", "tx_hash"];

Deno.test("each ledger entry has its reference, invoice and transaction: API, CSV and dashboard", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, credentials } } = world;
  const id = await paidInvoice(world);
  const { body: { data: invoice } } = await api.get(`/v1/invoices/${id}`);
  const back = await refund(world, id, { amount: "0.004" });
  const order = { ...ETH, to_address: STRANGER, amount: "0.001", client_reference: "=order" };
  const paid = await api.post("/v1/withdrawals", order);
  const { body: { data: { address } } } = await api.post("/v1/deposit-addresses", ETH);
  await sendTx(anvil, { to: address, valueRaw: UNIT });
  await settleAll(world);

  const [credited] = await deps.db.list(Transactions, { accountId, toAddress: address });
  const ofInvoice = [invoice.reference, id, invoice.payments[0].tx_hash];
  const ofRefund = [null, id, back.data.tx_hash];
  const ofPayout = ["=order", null, paid.body.data.tx_hash];
  const expected: Record<string, unknown[]> = {
    [`credit ${invoice.payments[0].transaction_id}`]: ofInvoice,
    [`credit ${credited!.id}`]: [null, null, credited!.txHash],
  };
  for (const kind of ["hold", "debit"]) {
    expected[`${kind} ${back.data.withdrawal_id}`] = ofRefund;
    expected[`${kind} ${paid.body.data.withdrawal_id}`] = ofPayout;
  }
  const { body: { data: rows } } = await api.get("/v1/ledger?limit=200");
  const found = rows.map((row: Record<string, unknown>) => [
    `${row.kind} ${row.transaction_id ?? row.withdrawal_id}`,
    NAMES.map((name) => row[name]),
  ]);
  const others = [null, null, null];
  for (const [name, origin] of found) assert.deepEqual(origin, expected[name] ?? others, name);
  assert.deepEqual(found.map(([name]: [string]) => name).toSorted().slice(-6), [
    ...Object.keys(expected).toSorted(),
  ]);

  const signed = signedHeaders(credentials, { method: "GET", target: "/v1/ledger" });
  const asCsv = { headers: { ...signed, accept: "text/csv" } };
  const csv = await (await fetch(`${world.url}/v1/ledger`, asCsv)).text();
  const { token } = await makeLogin(deps, { accountId });
  const path = "/balances/ETH/ETH/ledger.csv?period=all";
  const statement = await (await dashboardFetch(world.url, { path, token })).text();
  for (const file of [csv, statement]) {
    const [title = "", ...lines] = file.trimEnd().split("\r\n");
    assert.ok(title.endsWith(`,${NAMES.join(",")}`), title);
    for (const [name, origin] of Object.entries(expected)) {
      const end = origin.map((cell) => cell === "=order" ? "'=order" : cell ?? "").join(",");
      const [kind] = name.split(" ");
      const line = lines.find((line) => line.includes(`,${kind},`) && line.endsWith(`,${end}`));
      assert.ok(line, `${name} ${end} in:\n${file}`);
    }
  }
});
