import assert from "node:assert/strict";
import { freeOfCharge } from "../../../src/withdrawals/free_of_charge.ts";
import { playOnTron } from "../../support/grounds/scenario.ts";

Deno.test("an operator sees the cost of a new address if withdrawals don't cover it", () =>
  playOnTron(async ({ deps }) => {
    const warningOf = async (feeFlat: string) => {
      const catalog = await deps.catalog.current();
      const row = { ...catalog.currency("TRX", "TRX")!, feeFlat, feePercent: "0" };
      return (await freeOfCharge(deps, { rows: [row], waitMs: 5_000 }))[0];
    };
    assert.equal(
      await warningOf("0"),
      "Withdrawals are free of charge; each costs about 0.4 TRX, and 1.1 TRX more to an address " +
        "that nobody has used",
    );
    assert.equal(
      await warningOf("0.3"),
      "A withdrawal to an address that nobody has used costs 1.1 TRX more; the flat fee is 0.3 TRX",
    );
    assert.equal(await warningOf("1.1"), null);
  }));
