import { creditShape } from "../deposits/shapes.ts";
import type { Unproven } from "../deposits/vouch.ts";
import { isoUtc } from "../domain/time.ts";
import { refusalText } from "../operations/words/refusals.ts";
import type { TamperedRow } from "../store/engine/tampered_row.ts";

export function tamperedShape({ table, key, accountId }: TamperedRow) {
  return { table, row: key, account_id: accountId };
}

export function unprovenShape({ row, state, doubt }: Unproven) {
  const reason = doubt === undefined ? null : refusalText(doubt);
  return { ...creditShape(row), detected_at: isoUtc(row.createdAtMs), state, reason };
}
