import assert from "node:assert/strict";
import { makeRefundLinkByHand } from "../../../src/refunds/by_hand.ts";
import { refundInvoice } from "../../../src/refunds/refund.ts";
import { handKeyOf } from "../../../src/access/manage_api_keys.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Refused } from "../../../src/domain/refusal.ts";
import { RefundTotals } from "../../../src/refunds/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { ETH, paidInvoice } from "./_refunding.ts";

const CROWD = 40;

/** How many units that ask what is left of an invoice are in progress at once. */
function watched(deps: Deps): { deps: Deps; most: () => number } {
  let [now, most] = [0, 0];
  const write: Deps["db"]["write"] = async (unit) => {
    const isRefund = unit.reads.some(({ table }) => table === RefundTotals);
    most = Math.max(most, now += Number(isRefund));
    return await deps.db.write(unit).finally(() => now -= Number(isRefund));
  };
  const db = new Proxy(deps.db, {
    get: (target, name) => {
      const value = Reflect.get(target, name);
      return name === "write" ? write : typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { deps: { ...deps, db }, most: () => most };
}

Deno.test("contract 1: refunds that are asked for at once are decided a few at a time", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { merchant: { accountId } } = world;
  const invoiceId = await paidInvoice(world);
  const crowd = (ask: (i: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: CROWD }, (_, i) => ask(i)));
  const links = watched(world.deps);
  await crowd(() =>
    makeRefundLinkByHand(links.deps, {
      ...{ ...ETH, accountId, invoiceId, amount: "0.004", actor: "test" },
    })
  );
  assert.ok(links.most() < CROWD / 2, `${links.most()} links`);
  const refunds = watched(world.deps);
  const keyId = await handKeyOf(world.deps, { accountId, actor: "test" });
  const caller = { accountId, keyId, actor: "test", signature: null } as const;
  const outcomes = await crowd(async (i) => {
    const asked = { ...ETH, amount: "0.004", toAddress: STRANGER, clientReference: `r${i}` };
    return await refundInvoice(refunds.deps, { ...asked, caller, invoiceId }).then(
      () => "held",
      (error) => error instanceof Refused ? error.code : error,
    );
  });
  assert.ok(refunds.most() < CROWD / 2, `${refunds.most()} refunds`);
  assert.deepEqual(
    Object.fromEntries(
      Map.groupBy(outcomes, String).entries().map(([what, all]) => [what, all.length]),
    ),
    { held: 2, refund_too_high: CROWD - 2 },
  );
});
