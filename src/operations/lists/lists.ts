import type { List } from "./list.ts";
import { INVOICES } from "./invoices.ts";
import { DEPOSITS, TRANSACTIONS } from "./transactions.ts";
import { WITHDRAWALS } from "./withdrawals.ts";

/** Every declared list. */
export const LISTS: readonly List[] = [DEPOSITS, INVOICES, TRANSACTIONS, WITHDRAWALS];
