import assert from "node:assert/strict";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { payByHand } from "../../../src/payouts/pay.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { linkTo, paidInvoice, refund, USDT } from "./_refunding.ts";

const DUST = "0.000000000000000001";

Deno.test("checkout: a refund worth less than its network fee is refused, unless it is all that is left", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet } } = world;
  const token = await world.addToken();
  await token.send("mint", [hotWallet, 5_000_000n]);
  const id = await paidInvoice(world, token);
  assert.equal((await refund(world, id, { amount: DUST })).code, "400 refund_too_small");
  assert.equal(await linkTo(world, id, { amount: DUST }), "refund_too_small");
  const byHand = await payByHand(deps, {
    ...{ accountId, network: "ETH", currency: "ETH", toAddress: STRANGER, amount: DUST },
    ...{ refundOf: await deps.db.get(Invoices, [id]), clientReference: "hand", actor: "test" },
  });
  assert.deepEqual(
    byHand.kind === "faults" && byHand.checked.faults,
    [{ field: "amount", code: "refund_too_small" }],
  );
  assert.equal((await refund(world, id, { amount: "1" })).code, "400 refund_too_high");
  assert.equal((await refund(world, id, { amount: "0.009999999999999999" })).code, "ok");
  assert.equal((await refund(world, id, { amount: DUST })).code, "ok");

  // What a token is worth in the network's coin, says the operator.
  const set = (nativeRate: string | null) =>
    setCurrency(deps, { network: "ETH", symbol: "USDT", change: { nativeRate }, actor: "test" });
  await set("0.0000000001");
  assert.equal(
    (await refund(world, id, { ...USDT, amount: "1" })).code,
    "400 refund_too_small",
  );
  await set("0.0005");
  assert.equal((await refund(world, id, { ...USDT, amount: "1" })).code, "ok");
  await set(null);
  assert.equal((await refund(world, id, { ...USDT, amount: "0.000001" })).code, "ok");
  await settleAll(world);
  assert.deepEqual(world.faults, []);
});
