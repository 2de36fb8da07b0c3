import { Accounts } from "../../accounts/tables/accounts.ts";
import type { Advice } from "../../domain/advice.ts";
import { Unproven } from "../../domain/cannot_pay.ts";
import { INTEGRITY } from "../../integrity/rules/refusals.ts";
import { type AnyRow, PRIMARY, type Table, valuesOf } from "../tables/table.ts";

/** Somebody else changed a row, so it must not be used in any way. */
export class TamperedRow extends Unproven {
  override name = "TamperedRow";
  /** As an operator names it. */
  readonly key: string;
  readonly accountId: number | null;
  /** Until when it isn't used. */
  until = "you have looked";
  advice: Advice = { code: "check_rows" };

  constructor(
    readonly table: string,
    row: { readonly key: string; accountId: number | null },
    why = INTEGRITY.row_tampered({ table, key: row.key }),
  ) {
    super(why);
    this.key = row.key;
    this.accountId = row.accountId;
  }
}

export function tampered<Row extends AnyRow>(table: Table<Row>, row: Row): TamperedRow {
  const isAccount = table.name === Accounts.name;
  const owner = isAccount ? row.id : row.accountId;
  const accountId = typeof owner === "number" ? owner : null;
  const key = valuesOf(row, table.keys[PRIMARY]).join("/");
  return new TamperedRow(table.name, { key, accountId });
}
