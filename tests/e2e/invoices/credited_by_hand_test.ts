import assert from "node:assert/strict";
import { creditSurplus } from "../../../src/deposits/credit_surplus.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { findInvoice } from "../../../src/invoices/manage.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { InvoiceAddresses, InvoicePayments } from "../../../src/invoices/tables/invoices.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { settleAll } from "../../support/payouts.ts";
import { startWorld } from "../../support/world.ts";

const UNIT = 10n ** 15n;
const BY_HAND = { CPG_WORKER: "false" };

Deno.test("coins credited by hand pay the invoice whose address they came to, if nobody else had it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { deps, merchant: { accountId } } = world;
  await setNetwork(deps, { code: "ETH", change: { traces: "off" }, actor: "test" });
  const disperse = await deploy(anvil, { name: "Disperse" });
  const order = { network: "ETH", currency: "ETH", txHash: undefined, note: "", actor: "test" };
  const credited = async (address: string) => {
    await disperse.send("ether_", [[address], [10n * UNIT]], { valueRaw: 10n * UNIT });
    await settleAll(world);
    return await creditSurplus(deps, { ...order, address, amount: "0.01" });
  };
  const { id } = await makeInvoice(deps, { accountId });
  const given = await deps.db.get(InvoiceAddresses, [id, "ETH"]);
  await credited(given.address);
  await judgeDue(deps);
  assert.equal((await findInvoice(deps, { accountId, id })).status, "paid");
  // Much later somebody else gets the address: whose coins these are, nobody can tell.
  const later = { ...deps, clock: { nowMs: () => Date.now() + 90 * 86_400_000 } };
  const next = await makeInvoice(later, { accountId });
  const taken = await deps.db.get(InvoiceAddresses, [next.id, "ETH"]);
  assert.equal(taken.address, given.address);
  const { id: unlinked } = await credited(given.address);
  assert.deepEqual(await deps.db.list(InvoicePayments, { transactionId: unlinked }), []);
});
