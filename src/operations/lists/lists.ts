import type { List } from "./list.ts";
import { WITHDRAWALS } from "./withdrawals.ts";

/** Every declared list. */
export const LISTS: readonly List[] = [WITHDRAWALS];
