import { last } from "../../base/lists.ts";

/** The row after which a list goes on. A full page may be the last one (contract 1). */
export function nextOf<Row>(rows: readonly Row[], limit: number): Row | undefined {
  return rows.length === limit ? last(rows) : undefined;
}
