import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";

const ENDING = 250;
const DEAD_NODE = "http://127.0.0.1:9";
const HOUR_MS = 3_600_000;

Deno.test("a payment that comes while many invoices end is looked at before the rest of them", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { accountId } = await makeMerchant(gateway, { name: "Many" });
  const other = await makeMerchant(gateway, { name: "Other" });
  for (const account of [accountId, other.accountId]) {
    await enable(deps, { accountId: account, network: "ETH", currency: "ETH" });
  }
  const before = { ...deps, clock: { nowMs: () => deps.clock.nowMs() - HOUR_MS } };
  for (let i = 0; i < ENDING; i++) await makeInvoice(before, { accountId, chosen: null });
  const paid = await makeInvoice(deps, { accountId: other.accountId, chosen: null });

  const ended = async () => (await deps.db.rows(Invoices, "WHERE status <> 'open'", [])).length;
  const markOf = async () => (await deps.db.get(Invoices, [paid.id])).judgeAtMs;
  let endedBefore: number | undefined;
  let writes = 0;
  const write: Deps["db"]["write"] = async (unit) => {
    if (++writes === 2) await mark(deps, paid.id);
    const result = await deps.db.write(unit);
    if (writes > 2 && await markOf() !== 0) endedBefore ??= await ended();
    return result;
  };
  await judgeDue({ ...deps, db: { ...deps.db, write } });
  assert.ok(endedBefore! < ENDING / 2, `after ${endedBefore} of ${ENDING}`);
  assert.equal(await ended(), ENDING);
});

/** As a payment does. */
async function mark({ db }: Deps, id: number): Promise<void> {
  await db.write({
    reads: [read(Invoices, [id])],
    decide: (view) => view.update(Invoices, view.get(Invoices, [id]), { judgeAtMs: 0 }),
  });
}
