import type { Db } from "../../../src/store/engine/db.ts";
import { auditPage } from "../../../src/store/reads/pages/audit.ts";
import { endpointPage } from "../../../src/store/reads/pages/endpoints.ts";
import * as deliveryReads from "../../../src/store/reads/pages/deliveries.ts";
import * as pageReads from "../../../src/store/reads/pages/page.ts";
import { transactionPage } from "../../../src/store/reads/pages/transactions.ts";

export type Ask = (db: Db) => Promise<unknown>;

const CURSORS = [null, 9];
const ASSETS = [{ network: "ETH", symbol: "USDT" }];

/** Every choice of filters that the pages and the API can make. */
export const PAGES: readonly Ask[] = [
  ...choices({
    accountId: [null, 1],
    direction: [null, "deposit"],
    status: [null, "swept"],
    network: [null, "ETH"],
    currency: [null, "USDT"],
    isBelowMinimum: [false, true],
    txHash: [null, "0x01"],
    addressIds: [null, [1, 2]],
    cursor: CURSORS,
    limit: [5],
  }).map((query) => (db: Db) => pageReads.transactionList(db, query)),
  ...choices({
    accountId: [null, 1],
    status: [null, "pending"],
    network: [null, "ETH"],
    currency: [null, "USDT"],
    cursor: CURSORS,
    limit: [5],
  }).map((query) => (db: Db) => pageReads.withdrawalList(db, query)),
  ...choices({
    accountId: [1],
    direction: [null, "deposit"],
    status: [null, "detected"],
    network: [null, "ETH"],
    currencies: [null, ["USDT"], ["USDT", "usdt"]],
    cursor: CURSORS,
    limit: [5],
  }).map((query) => (db: Db) => transactionPage(db, query, ASSETS)),
  ...choices({
    accountId: [null, 1],
    endpointId: [null, 1],
    state: [null, "dead"] as const,
    cursor: [null, { eventId: 9, endpointId: 9 }],
    limit: [5],
  }).map((query) => (db: Db) => deliveryReads.deliveryPage(db, query)),
  ...choices({ accountId: [null, 1], cursor: CURSORS, limit: [5] })
    .map((query) => (db: Db) => endpointPage(db, query)),
  ...choices({ actor: [null, "a"], subject: [null, "s"], cursor: CURSORS, limit: [5] })
    .map((query) => (db: Db) => auditPage(db, query)),
  ...choices({ accountId: [null, 1], userIdentifier: ["u"] })
    .map((query) => (db: Db) => pageReads.addressesOfUser(db, query)),
  ...choices({ accountId: [null, 1], address: ["0xA"] })
    .map((query) => (db: Db) => pageReads.addressesNamed(db, query)),
];

/** One of each, in every way. */
function choices<T extends Record<string, readonly unknown[]>>(
  from: T,
): { [K in keyof T]: T[K][number] }[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(from)) {
    all = all.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return all as { [K in keyof T]: T[K][number] }[];
}
