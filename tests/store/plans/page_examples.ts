import type { Db } from "../../../src/store/engine/db.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { auditFound, partiesOf } from "../../../src/audit/reads/found.ts";
import { accountPage } from "../../../src/accounts/reads/accounts.ts";
import { customerPage, invoiceCustomers } from "../../../src/customers/reads.ts";
import { batchPage } from "../../../src/payouts/reads.ts";
import { endpointPage } from "../../../src/webhooks/reads/endpoints.ts";
import * as deliveryReads from "../../../src/webhooks/reads/deliveries.ts";
import { IdSpans } from "../../../src/store/lists/id_spans.ts";
import { INVOICES_LISTED, isReferenceBeginning } from "../../../src/invoices/reads/listed.ts";
import { isForOrder, TRANSACTIONS_LISTED } from "../../../src/deposits/reads/listed.ts";
import { hasOne, rowsListed } from "../../../src/store/lists/listing.ts";
import { rejectedRequests } from "../../../src/request_log/reads.ts";

export type Ask = (db: Db) => Promise<unknown>;

const CURSORS = [null, 9];
const ORDERS = [false, true];

/** Every choice of filters that the pages and the API can make. */
export const PAGES: readonly Ask[] = [
  ...choices({
    accountId: [1],
    fromMs: [1],
    untilMs: [9],
    keyId: [null, "k"],
    code: [null, "c"],
    path: [null, "/v1"],
    cursor: [null, { atMs: 5, id: 1 }],
    isOldestFirst: ORDERS,
    limit: [5],
  }).map((query) => (db: Db) => rejectedRequests(db, query)),
  ...choices({
    accountId: [null, 1],
    endpointId: [null, 1],
    state: [null, "dead"] as const,
    cursor: [{ eventId: 9, endpointId: 9 }],
    isOldestFirst: ORDERS,
    limit: [5],
  }).map((query) => (db: Db) => deliveryReads.deliveryPage(db, query)),
  ...choices({ accountId: [null, 1], cursor: [9], limit: [5], isOldestFirst: ORDERS }).flatMap(
    (query) => [
      (db: Db) => endpointPage(db, query),
      (db: Db) => customerPage(db, query),
      (db: Db) => accountPage(db, query),
      (db: Db) => batchPage(db, { ...query, accountId: 1 }),
    ],
  ),
  ...choices({ accountId: [null, 1], cursor: CURSORS, limit: [5] })
    .map((query) => (db: Db) => invoiceCustomers(db, query)),
  ...choices({ actor: [null, "a"], subject: [null, "s"], cursor: CURSORS, limit: [5] })
    .map((query) => (db: Db) => auditPage(db, query)),
  (db) => partiesOf(db, 1),
  ...choices({ accountId: [null, 1], isOldestFirst: ORDERS }).map(
    ({ accountId, isOldestFirst }) => async (db: Db) => {
      const beginning = await isReferenceBeginning(db, { accountId, reference: "a", fewMax: -1 });
      const facts = [beginning, ...accountId === null ? [] : [hasOne("account_id", [accountId])]];
      const paged = { cursor: 9, limit: 5, isOldestFirst };
      await rowsListed(db, INVOICES_LISTED, { spans: new IdSpans(), facts, ...paged });
    },
  ),
  ...choices({ accountId: [null, 1], fewMax: [5, -1], isOldestFirst: ORDERS }).map(
    ({ accountId, fewMax, isOldestFirst }) => async (db: Db) => {
      const or = hasOne("address_id", [1, 2]);
      const isMeant = await isForOrder(db, { accountId, text: "order 7", or, fewMax });
      const isEither = { columns: [], values: [], either: [or, hasOne("id", [1, 2])] };
      const paged = { cursor: 9, limit: 5, isOldestFirst, spans: new IdSpans() };
      for (const one of [isMeant, isEither]) {
        const facts = [one, ...accountId === null ? [] : [hasOne("account_id", [accountId])]];
        await rowsListed(db, TRANSACTIONS_LISTED, { facts, ...paged });
      }
    },
  ),
  ...choices({
    spans: [new IdSpans()],
    actor: [null, "a"],
    subject: [null, "s"],
    account: [null, { actors: ["a"], subjects: ["s"] }],
    actions: [null, ["a.b", "a.c"], ["withdrawal.sent"]],
    fromMs: [null, 5],
    untilMs: [null],
    cursor: [9],
    isOldestFirst: ORDERS,
    limit: [5],
  }).map((query) => (db: Db) => auditFound(db, query)),
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
