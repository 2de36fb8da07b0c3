import { present } from "../base/assert.ts";
import { isSamePayout } from "../withdrawals/rules/same_payout.ts";
import { withdrawalsReferred } from "./reads.ts";
import { type BatchLine, PayoutBatches, type PayoutBatchRow } from "../withdrawals/table.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import { HAND_KEY_PREFIX } from "../access/manage_api_keys.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";

export interface LineState extends BatchLine {
  /** Undefined: it isn't paid yet. */
  readonly withdrawal: WithdrawalRow | undefined;
  /** Why not, when it was last tried. */
  readonly refusal: string | undefined;
}

/**
 * What became of each line: whatever was paid is found by its reference. Somebody may have paid
 * another payout under it after the batch was checked.
 */
export async function batchState(deps: Deps, batch: PayoutBatchRow): Promise<LineState[]> {
  await genuine(deps, PayoutBatches, [batch]);
  const { accountId, lines, refusals } = batch;
  const found = await withdrawalsReferred(deps.db, {
    keyId: `${HAND_KEY_PREFIX}${accountId}`,
    references: lines.map(({ reference }) => reference),
  });
  const byReference = new Map(found.map((row) => [row.clientReference, row]));
  const catalog = await deps.catalog.current();
  const isPaid = (line: BatchLine, row: WithdrawalRow) => {
    const { decimals } = present(catalog.currency(row.network, row.currency), "Currencies stay");
    return isSamePayout(row, line, { decimals });
  };
  return lines.map((line) => {
    const row = byReference.get(line.reference);
    const withdrawal = row && isPaid(line, row) ? row : undefined;
    return { ...line, withdrawal, refusal: withdrawal ? undefined : refusals[line.line] };
  });
}
