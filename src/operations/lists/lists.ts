import type { List } from "./list.ts";
import { DEPOSITS, TRANSACTIONS } from "./transactions.ts";
import { WITHDRAWALS } from "./withdrawals.ts";

/** Every declared list. */
export const LISTS: readonly List[] = [DEPOSITS, TRANSACTIONS, WITHDRAWALS];
