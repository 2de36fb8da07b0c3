import { ordersOf } from "../../../src/invoices/reads/orders.ts";
import { surplusAlerts, usersOf } from "../../../src/deposits/reads/page.ts";
import { failedTwice } from "../../../src/withdrawals/reads/recipients.ts";
import { moneyOf, transactionsOfSweep } from "../../../src/sweeps/reads/page.ts";
import * as noticeReads from "../../../src/notifications/reads/notices.ts";
import * as walletReads from "../../../src/wallets/reads/wallets.ts";
import { makeSweep, makeTransaction } from "../reads/make_rows.ts";
import { CONTROL_READS } from "./control_examples.ts";
import type { Ask } from "./page_examples.ts";

const SENDERS = { network: "ETH", senders: ["0xH", "0xG"] };
/** The operator's reads. */
export const OPERATOR_READS: readonly Ask[] = [
  ...CONTROL_READS,
  (db) => noticeReads.noticeReceivers(db),
  (db) => noticeReads.noticesAfter(db, { id: 9, limit: 5 }),
  (db) => noticeReads.newestNoticeId(db),
  (db) => noticeReads.alertsToRemindOf(db, { beforeMs: 9, limit: 5 }),
  (db) => noticeReads.openAlertsOf(db, "hot_wallet_low"),
  (db) => moneyOf(db, [makeSweep({ id: 1 })]),
  (db) => transactionsOfSweep(db, { sweepId: 1, limit: 5 }),
  (db) => walletReads.someWallets(db, 5),
  (db) => walletReads.withdrawableOf(db, { network: "ETH", accountIds: [1] }),
  (db) => walletReads.balancesOfAccounts(db, { network: "ETH", accountIds: [1] }),
  (db) => walletReads.unsignedPayouts(db, { network: "ETH", limit: 5 }),
  (db) => walletReads.paidOutSince(db, { network: "ETH", accountIds: [1], sinceMs: 1 }),
  (db) => walletReads.unminedOf(db, { ...SENDERS, limit: 5 }),
  (db) => walletReads.lastSignedBy(db, SENDERS),
  (db) => usersOf(db, [makeTransaction({ id: 1, addressId: 1 })]),
  (db) => ordersOf(db, [makeTransaction({ id: 1 })]),
  (db) => surplusAlerts(db, 5),
  failedTwice,
];
