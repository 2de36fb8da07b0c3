import assert from "node:assert/strict";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { addPayments, addRefunds } from "../../support/checkout/crowded.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startWorld } from "../../support/world.ts";

Deno.test("an invoice's page shows ten payments and refunds, and the rest is behind links", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, url, merchant: { accountId } } = world;
  const [{ id }, other] = [
    await makeInvoice(deps, { accountId }),
    await makeInvoice(deps, { accountId }),
  ];
  await addPayments(deps, { invoiceId: id, count: 100, amount: "0.0001" });
  await addPayments(deps, { invoiceId: other.id, count: 3, amount: "0.02" });
  await addPayments(deps, { invoiceId: id, count: 1, amount: "0.01" });
  await judgeDue(deps);
  for (const invoiceId of [id, other.id]) {
    await addRefunds(deps, { invoiceId, count: 30, amount: "0.00001", status: "failed" });
  }
  const logins = {
    merchant: await makeLogin(deps, { accountId }),
    operator: await makeLogin(deps),
  };
  for (const { token } of Object.values(logins)) {
    const textOf = async (path: string) => {
      const answer = await dashboardFetch(url, { path, token });
      assert.equal(answer.status, 200, path);
      return await answer.text();
    };
    const page = await textOf(`/invoices/${id}`);
    assert.equal(page.match(/class="row-link" href="\/dashboard\/deposits\//g)?.length, 10);
    assert.equal(page.match(/class="row-link" href="\/dashboard\/withdrawals\//g)?.length, 10);
    assert.match(page, /0\.01 ETH/, "The largest is among them");
    const [, payments] = /href="\/dashboard([^"]+)">All 101 payments</.exec(page) ?? [];
    const [, refunds] = /href="\/dashboard([^"]+)">All 30 refunds</.exec(page) ?? [];
    const listed = async (path: string | undefined) => {
      const text = await textOf(path!);
      return [/([\d,]+) (payment|payout)s?</.exec(text)?.[1], text.includes(`value="${id}"`)];
    };
    assert.deepEqual(await listed(payments), ["101", true]);
    assert.deepEqual(await listed(refunds), ["30", true]);
    const none = await textOf("/deposits?invoice=99");
    assert.match(none, /Nothing matches these filters/);
  }
});
