import assert from "node:assert/strict";
import { readSources } from "./source.ts";

/** Who may see rows that somebody else changed. Everybody else gets a `TamperedRow`. */
const RAW_READERS: Readonly<Record<string, readonly string[]>> = {
  "They seal, accept or repair what somebody else changed": [
    "src/actions/control/guard.ts",
    "src/actions/integrity/check_ledger.ts",
    "src/actions/integrity/manage_integrity.ts",
    "src/actions/operations/_code_old_halts.ts",
    "src/actions/operations/_note_credits.ts",
    "src/actions/operations/_reseal.ts",
    "src/actions/operations/_seal_table.ts",
    "src/actions/policies/accept.ts",
  ],
  "They take a right away, or replace a row in whole, whoever wrote it": [
    "src/actions/access/change_user.ts",
    "src/actions/access/manage_api_keys.ts",
    "src/actions/access/manage_links.ts",
    "src/actions/access/manage_sessions.ts",
    "src/actions/access/manage_users.ts",
    "src/actions/access/role_keys.ts",
    "src/actions/accounts/receiving_wallet.ts",
    "src/actions/networks/remove.ts",
    "src/actions/proposals/end.ts",
    "src/actions/rates/manage.ts",
    "src/actions/rates/read_sources.ts",
    "src/actions/wallets/halt.ts",
    "src/actions/webhooks/manage_webhooks.ts",
  ],
  "One account's row mustn't stop a network or other accounts; a row that isn't genuine counts for nothing":
    [
      "src/actions/books/move_transaction.ts",
      "src/actions/books/records.ts",
      "src/actions/control/two_people.ts",
      "src/actions/deposits/_credited_once.ts",
      "src/actions/following/_unanchor.ts",
      "src/actions/following/record_movements.ts",
      "src/actions/following/record_spends.ts",
      "src/actions/invoices/judge_due.ts",
      "src/actions/policies/released.ts",
      "src/actions/restore/recover_addresses.ts",
      "src/actions/webhooks/lease.ts",
      "src/actions/withdrawals/hold.ts",
    ],
  "They change only fields that no seal covers": [
    "src/actions/sweeps/steps.ts",
    "src/actions/webhooks/redeliver.ts",
  ],
};

Deno.test("rows are read without looking at their seals only where it is listed", async () => {
  const sources = await readSources(new URL("../../", import.meta.url), ["src/"]);
  const raw = sources.filter(({ path, text }) =>
    !path.startsWith("src/store/engine/") && /\b(db|view)\.raw\b/.test(text)
  );
  assert.deepEqual(
    raw.map(({ path }) => path).toSorted(),
    Object.values(RAW_READERS).flat().toSorted(),
  );
});
