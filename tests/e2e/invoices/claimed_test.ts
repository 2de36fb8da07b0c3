import assert from "node:assert/strict";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { makePayer } from "../../support/payers.ts";
import { startWorld } from "../../support/world.ts";

const UNIT = 10n ** 15n;

Deno.test("an invoice that a killed program was adding up is added up before anybody changes it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { deps, merchant: { api } } = world;
  const method = { network: "ETH", currency: "ETH" };
  const make = async () =>
    (await api.post("/v1/invoices", { amount: "0.01", currency: "ETH", method })).body.data;
  const [paid, part] = [await make(), await make()];
  const payer = await makePayer(anvil, 441);
  await world.round();
  await judgeDue(deps);
  const pay = (nonce: number, { methods: [{ address }] }: typeof paid, amountRaw: bigint) =>
    payer.pay({ nonce, to: address, amountRaw });
  await pay(0, part, 4n * UNIT);
  await anvil.mine(5);
  for (let i = 0; i < 2; i++) await world.round();
  await judgeDue(deps);
  await pay(1, paid, 10n * UNIT);
  await pay(2, part, 6n * UNIT);
  await anvil.mine(5);
  for (let i = 0; i < 2; i++) await world.round();
  // What a program writes before it adds up.
  await deps.db.execute([{
    sql: "UPDATE invoices SET judge_at_ms = ?",
    args: [Date.now() + 60_000],
  }]);
  const cancelled = await api.post(`/v1/invoices/${paid.invoice_id}/cancel`, {});
  assert.deepEqual([cancelled.status, cancelled.body.error.code], [409, "invoice_final"]);
  const accepted = await api.post(`/v1/invoices/${part.invoice_id}/accept`, { reason: "enough" });
  assert.deepEqual([accepted.status, accepted.body.error.code], [409, "invoice_final"]);
  for (const { invoice_id: id } of [paid, part]) {
    const { status, sums, judgeAtMs } = await deps.db.get(Invoices, [id]);
    assert.deepEqual([status, sums?.confirmed, judgeAtMs], ["paid", "0.01", null]);
  }
});
