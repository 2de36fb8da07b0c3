import type { TamperedRow } from "../../actions/books/tampered.ts";

export function tamperedShape({ table, key, accountId }: TamperedRow) {
  return { table, row: key, account_id: accountId };
}
