import { ALERTS } from "./alerts.ts";
import { DEPOSIT_REQUESTS } from "./deposit_requests.ts";
import { INVOICES } from "./invoices.ts";
import { LEDGER } from "./ledger.ts";
import type { List } from "./list.ts";
import { PAYMENT_LINKS } from "./payment_links.ts";
import { SWEEPS } from "./sweeps.ts";
import { DEPOSITS, TRANSACTIONS } from "./transactions.ts";
import { WITHDRAWALS } from "./withdrawals.ts";

/** Every declared list. */
export const LISTS: readonly List[] = [
  ...[ALERTS, DEPOSIT_REQUESTS, DEPOSITS, INVOICES, LEDGER, PAYMENT_LINKS],
  ...[SWEEPS, TRANSACTIONS, WITHDRAWALS],
];
