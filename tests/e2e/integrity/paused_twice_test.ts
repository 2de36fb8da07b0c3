import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { alertRead, insertAlert } from "../../../src/books/alerts.ts";
import { accountFailing } from "../../../src/integrity/pause_failing.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { allFreezes } from "../../../src/store/reads/few_rows.ts";
import { Freezes } from "../../../src/books/table.ts";
import { makePlace } from "../../support/database/database.ts";
import { makeNetwork } from "../../support/gateway.ts";

Deno.test("an account paused over a tampered row stays paused if its payments fail meanwhile", async () => {
  await using place = await makePlace();
  const { deps, close } = await openGateway(
    readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }),
  );
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const alert = { ...accountFailing(asset), message: "Too many payments failed" };
  await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const freeze = {
        ...asset,
        code: "tampered",
        reason: "Tampered with",
        createdAtMs: 1,
      } as const;
      view.insertKeyed(Freezes, freeze);
      insertAlert(view, { ...alert, nowMs: 1 });
    },
  });
  const { lifted, kept } = await resumeTampered(deps, { accountId, actor: "test" });
  assert.deepEqual([lifted, kept], [0, 1]);
  const [freeze] = await allFreezes(deps.db);
  assert.deepEqual([freeze?.code, freeze?.reason], ["books_differ", alert.message]);
  await close();
});
