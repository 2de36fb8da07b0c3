import { searchTerm } from "../../../src/search/words/term.ts";
import * as customerReads from "../../../src/customers/reads.ts";
import {
  eventsOfInvoice,
  eventsOfPayment,
  eventsOfPayout,
} from "../../../src/store/reads/pages/payment_events.ts";
import { accountNames, userEmails } from "../../../src/store/reads/pages/names.ts";
import { search } from "../../../src/search/reads/search.ts";
import type { Ask } from "./page_examples.ts";

const HASH = `0x${"a".repeat(64)}`;
/** Whole, its beginning, its end, shortened, a text and a number. */
const TEXTS = [
  HASH,
  `${HASH.slice(2)}:1`,
  "0xabcd",
  "abcdef12",
  "0xabcd…ef12",
  "T9yD14Nj9",
  "order-7 b",
  "12",
  "é",
];

/** Whatever can be searched for, by a merchant and an operator. */
export const SEARCHES: readonly Ask[] = [
  ...TEXTS.flatMap((text) =>
    [null, 1].map((accountId): Ask => (db) =>
      search(db, { term: searchTerm(text)!, accountId, limit: 5 })
    )
  ),
  (db) => eventsOfPayment(db, { id: 1, accountId: 1, createdAtMs: 1, confirmedAtMs: 1 }),
  (db) => eventsOfInvoice(db, { id: 1, accountId: 1 }),
  (db) =>
    eventsOfPayout(db, {
      ...{ id: 1, accountId: 1, requestedAtMs: 1, broadcastAtMs: 2 },
      ...{ confirmedAtMs: null, endedAtMs: 3 },
    }),
  (db) => accountNames(db, [1]),
  (db) => userEmails(db, { ids: [1], accountId: 1 }),
  (db) => customerReads.addressesOfCustomer(db, { accountId: 1, userIdentifier: "u" }),
  (db) => customerReads.requestsOfAddress(db, { addressId: 1, limit: 5 }),
  (db) => customerReads.receivedAt(db, [1, 2]),
];
