import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { planMovements } from "../../../src/following/plan_movements.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { findInvoice } from "../../../src/invoices/manage.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { InvoiceAddresses, InvoicePayments } from "../../../src/invoices/tables/invoices.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { STRANGER } from "../../support/payers.ts";
import { settleAll } from "../../support/payouts.ts";
import { startWorld } from "../../support/world.ts";

const DUST = 150;

Deno.test("dust on an invoice's address is credited, makes no look at it slower, and hides no payment", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { accountId } } = world;
  const { id } = await makeInvoice(deps, { accountId });
  const { address } = await deps.db.get(InvoiceAddresses, [id, "ETH"]);
  const token = await world.addToken();
  const disperse = await deploy(anvil, { name: "Disperse" });
  await token.send("mint", [anvil.accounts[0], BigInt(DUST)]);
  await token.send("approve", [disperse.address, BigInt(DUST)]);
  const each = <T>(value: T) => Array<T>(DUST).fill(value);
  const sent = [token.address, each(address), each(1n)];
  await disperse.send("token_", sent, { gas: 20_000_000 });
  await sendTx(anvil, { to: address, valueRaw: 10n ** 16n });
  await settleAll(world);
  await settleAll(world);
  await judgeDue(deps);
  assert.equal((await deps.db.list(InvoicePayments, { invoiceId: id })).length, 101);
  assert.equal((await findInvoice(deps, { accountId, id })).status, "paid");
  const credited = await deps.db.list(Transactions, { accountId, status: "confirmed" });
  assert.equal(credited.length, DUST + 1);
});

Deno.test("dust takes no place of the payment after it, and a forged invoice stops no network", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { accountId } } = world;
  const { id } = await makeInvoice(deps, { accountId });
  const { address, addressId } = await deps.db.get(InvoiceAddresses, [id, "ETH"]);
  const owned = new Map([[address, await deps.db.get(Addresses, [addressId])]]);
  const paid = (nonce: number, amountRaw: bigint) => ({
    ...{ txHash: `0x${nonce.toString(16).padStart(64, "0")}`, position: 0, contract: null },
    ...{ from: STRANGER, sender: STRANGER, senderNonce: nonce, to: address, amountRaw },
  });
  const dust = Array.from({ length: 1_100 }, (_, nonce) => paid(nonce, 1n));
  const transfers = [...dust, paid(dust.length, 10n ** 16n)];
  const ref = { height: 1, hash: "0x1", parentHash: "0x0" };
  const blocks = [{ ref, atMs: deps.clock.nowMs(), transfers, spends: [], paidRaw: null }];
  const network = await findNetwork(deps, "ETH");
  const counted = async () =>
    (await planMovements(deps, { network, blocks, owned })).movements
      .filter((one) => one.paid.invoiceId === id).map(({ transfer }) => transfer.amountRaw);
  assert.deepEqual(await counted(), [...Array<bigint>(100).fill(1n), 10n ** 16n]);
  await deps.db.execute([{ sql: "UPDATE invoices SET amount = '?' WHERE id = ?", args: [id] }]);
  assert.equal((await counted()).length, transfers.length);
});
