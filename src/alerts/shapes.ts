import type { AlertRow } from "./table.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";
import { stepsFor, withAdvice } from "../operations/words/advice.ts";

export function alertShape(row: AlertRow) {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    message: withAdvice(row.message, row.advice),
    what_to_do: stepsFor(row),
    open: row.open === 1,
    created_at: isoUtc(row.createdAtMs),
    resolved_at: isoUtcOrNull(row.resolvedAtMs),
  };
}
