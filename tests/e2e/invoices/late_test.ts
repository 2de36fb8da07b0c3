import assert from "node:assert/strict";
import { acceptInvoice } from "../../../src/invoices/manage.ts";
import { lookAt } from "../../../src/invoices/look.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { invoiceShape } from "../../../src/invoices/shape.ts";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { orderOf } from "../../../src/pay/order.ts";
import { InvoiceAddresses, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { settleAll } from "../../support/payouts.ts";
import { startWorld } from "../../support/world.ts";

const UNIT = 10n ** 15n;
const BY_HAND = { CPG_WORKER: "false" };

Deno.test("after the end the page asks for what it takes at the current price, and says so", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { deps, merchant: { accountId } } = world;
  const price = (value: string) =>
    addSource(deps, { base: "ETH", quote: "EUR", kind: "manual", value, actor: "test" });
  const first = await price("2500");
  const row = await makeInvoice(deps, {
    accountId,
    amount: "25",
    currency: "EUR",
    expiresInS: 300,
  });
  const { address } = await deps.db.get(InvoiceAddresses, [row.id, "ETH"]);
  await sendTx(anvil, { to: address, valueRaw: 4n * UNIT });
  await settleAll(world);
  await removeSource(deps, { id: first.id, actor: "test" });
  const { id } = await price("1000");
  const seen = async (afterMs: number) => {
    const at = { ...deps, clock: { nowMs: () => row.expiresAtMs + afterMs } };
    await judgeDue(at);
    const order = await orderOf(at, row.token);
    const now = await deps.db.get(Invoices, [row.id]);
    const shown = { look: await lookAt(at, now), publicUrl: "", nowMs: at.clock.nowMs() };
    const [method] = invoiceShape(now, shown).methods;
    assert.deepEqual([method?.rate, method?.amount_decimal], ["2500", "0.01"]);
    const uris = order?.coins.flatMap(({ target }) => target?.uri ?? []);
    assert.deepEqual(method?.payment_uri ?? undefined, uris?.[0], "Page and API ask for the same");
    const page = order?.coins.map(({ due }) => due).join();
    return [order?.status, order?.isLate, page, method?.due_decimal];
  };
  assert.deepEqual(await seen(-1_000), ["open", false, "0.006", "0.006"]);
  assert.deepEqual(await seen(60_000), ["underpaid", false, "0.006", "0.006"]);
  assert.deepEqual(await seen(60_001), ["underpaid", true, "0.015", "0.015"]);
  await removeSource(deps, { id, actor: "test" });
  assert.deepEqual(await seen(120_000), ["underpaid", true, "", "0.006"]);
});

Deno.test("a payment without a price is for the merchant to check until it is accepted", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  const { deps, merchant: { accountId } } = world;
  const price = {
    base: "ETH",
    quote: "EUR",
    kind: "manual",
    value: "2500",
    actor: "test",
  } as const;
  const source = await addSource(deps, price);
  const row = await makeInvoice(deps, { accountId, amount: "25", currency: "EUR" });
  await removeSource(deps, { id: source.id, actor: "test" });
  const late = { ...deps, clock: { nowMs: () => row.expiresAtMs + 60_001 } };
  const { address } = await deps.db.get(InvoiceAddresses, [row.id, "ETH"]);
  await anvil.rpc("evm_setNextBlockTimestamp", [Math.ceil(row.expiresAtMs / 1_000) + 61]);
  await sendTx(anvil, { to: address, valueRaw: 10n * UNIT });
  await anvil.mine(2);
  await world.round({ aheadMs: row.expiresAtMs + 120_000 - Date.now() });
  await judgeDue(late);
  const seen = await orderOf(late, row.token);
  assert.deepEqual([seen?.status, seen?.isUnrated, seen?.paid], ["underpaid", true, "0"]);
  await acceptInvoice(late, { accountId, id: row.id, actor: "test", reason: "Fine" });
  const accepted = await orderOf(late, row.token);
  assert.deepEqual([accepted?.status, accepted?.isUnrated], ["paid", false]);
});
