import assert from "node:assert/strict";
import { readSources } from "./source.ts";

/** Who may see rows that somebody else changed. Everybody else gets a `TamperedRow`. */
const RAW_READERS: Readonly<Record<string, readonly string[]>> = {
  "They seal, accept or repair what somebody else changed": [
    "src/control/guard.ts",
    "src/integrity/check_ledger.ts",
    "src/integrity/manage_integrity.ts",
    "src/upkeep/open_books.ts",
    "src/upkeep/_note_credits.ts",
    "src/upkeep/_pass_on_seals.ts",
    "src/upkeep/rotate_master_key.ts",
    "src/policies/accept.ts",
  ],
  "They take a right away, or replace a row in whole, whoever wrote it": [
    "src/access/change_user.ts",
    "src/access/manage_api_keys.ts",
    "src/access/manage_links.ts",
    "src/access/manage_sessions.ts",
    "src/access/manage_users.ts",
    "src/access/role_keys.ts",
    "src/accounts/receiving_wallet.ts",
    "src/networks/remove.ts",
    "src/proposals/end.ts",
    "src/rates/manage.ts",
    "src/rates/read_sources.ts",
    "src/wallets/halt.ts",
    "src/webhooks/manage_webhooks.ts",
  ],
  "One account's row mustn't stop a network or other accounts; a row that isn't genuine counts for nothing":
    [
      "src/books/claims.ts",
      "src/books/move_transaction.ts",
      "src/books/records.ts",
      "src/control/two_people.ts",
      "src/deposits/confirm.ts",
      "src/deposits/fail_overtaken.ts",
      "src/following/_unanchor.ts",
      "src/following/deposit_inputs.ts",
      "src/following/record_movements.ts",
      "src/following/record_spends.ts",
      "src/invoices/judge_due.ts",
      "src/outputs/record.ts",
      "src/policies/released.ts",
      "src/restore/recover_addresses.ts",
      "src/transfers/outbid.ts",
      "src/webhooks/lease.ts",
      "src/withdrawals/hold.ts",
    ],
  "They change only fields that no seal covers": [
    "src/sweeps/steps.ts",
    "src/webhooks/redeliver.ts",
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
