import assert from "node:assert/strict";
import { bookAdjustment } from "../../../src/accounts/manage_accounts.ts";
import { Balances } from "../../../src/books/table.ts";
import { makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";

const FORGERIES = {
  "is gone": "DELETE FROM adjustment_references",
  "has another reference": "UPDATE adjustment_references SET reference = 'other'",
  "belongs to another account": "UPDATE adjustment_references SET account_id = 2",
};

for (const [what, sql] of Object.entries(FORGERIES)) {
  Deno.test(`an entry by hand is booked once under its reference, also if its row ${what}`, async () => {
    await using gateway = await startGateway();
    const { deps } = gateway;
    await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
    const [{ accountId }, other] = [
      await makeMerchant(gateway, { name: "Acme" }),
      await makeMerchant(gateway, { name: "Other" }),
    ];
    const asset = { network: "ETH", currency: "ETH", amount: "5", note: "test", actor: "test" };
    const order = { ...asset, accountId, reference: "invoice 7" };
    assert.equal((await bookAdjustment(deps, order)).isReplay, false);
    assert.equal((await bookAdjustment(deps, order)).isReplay, true);
    await deps.db.execute([{ sql }]);
    await assert.rejects(bookAdjustment(deps, order), {
      message: 'According to the audit log, the reference "invoice 7" was used before, but its ' +
        "row is gone: nothing was booked",
    });
    const balances = await deps.db.rows(Balances, "WHERE account_id = ?", [accountId]);
    assert.deepEqual(balances.map(({ balance }) => balance), ["5"]);
    await bookAdjustment(deps, { ...order, reference: "invoice 8" });
    if (what !== "belongs to another account") {
      await bookAdjustment(deps, { ...order, accountId: other.accountId });
    }
  });
}
