import * as approvalReads from "../../../src/approvals/reads/approvals.ts";
import * as countedReads from "../../../src/policies/reads/counted_payments.ts";
import * as inboxReads from "../../../src/approvals/reads/inbox.ts";
import * as payeeReads from "../../../src/payees/reads.ts";
import * as policyReads from "../../../src/policies/reads/policies.ts";
import * as rateReads from "../../../src/rates/reads.ts";
import * as proposalReads from "../../../src/proposals/reads.ts";
import * as userReads from "../../../src/access/reads/users.ts";
import type { Ask } from "./page_examples.ts";

const AS_OF = { withdrawalId: 9, approvalId: 9, releaseId: 9 };
const PLACE = { accountId: 1, network: "ETH", address: "0xAbCd" };

/** Rules, payees, approvals and rates. */
export const CONTROL_READS: readonly Ask[] = [
  policyReads.allPolicies,
  (db) => policyReads.lastPolicyChange(db, "policies"),
  (db) =>
    policyReads.edgeRows(db, { meterId: 1, split: "", edgeMs: 9 }, [
      { spanMs: 1, fromMs: 10, untilMs: 20 },
    ]),
  (db) => policyReads.releasesToCount(db, 5),
  ...[1, null].flatMap((accountId): Ask[] => [
    (db) => countedReads.countedPayments(db, { accountId, from: 1, below: 9, limit: 5 }, AS_OF),
    (db) => countedReads.approvedPayments(db, { accountId, afterMs: 9 }, AS_OF),
  ]),
  (db) => countedReads.newestPayments(db, { accountId: 1, limit: 5 }),
  (db) => countedReads.newestPayments(db, { accountId: null, limit: 5 }),
  (db) => payeeReads.payeesAt(db, [PLACE]),
  (db) => approvalReads.openRequests(db, { limit: 5 }),
  (db) => approvalReads.openRequests(db, { accountId: 1, limit: 5 }),
  (db) => approvalReads.expiredRequests(db, { nowMs: 9, afterId: 0, limit: 5 }),
  (db) => payeeReads.payees(db, { accountId: undefined, limit: 5 }),
  (db) => payeeReads.payees(db, { accountId: 1, limit: 5 }),
  (db) => payeeReads.payeesOf(db, PLACE),
  (db) => payeeReads.recipientsLike(db, { ...PLACE, begin: "0xabcd" }),
  rateReads.rateSources,
  rateReads.rateReadings,
  (db) => rateReads.saidAfter(db, { subject: "rates", id: 9 }),
  rateReads.openMissingRates,
  (db) => proposalReads.saidOfControl(db, "proposal:1"),
  (db) => proposalReads.lastSwitch(db, "settings"),
  (db) => proposalReads.openProposals(db, { limit: 5 }),
  (db) => proposalReads.waitingProposals(db, { accountId: 1, limit: 5 }),
  (db) => proposalReads.waitingProposals(db, { accountId: null, limit: 5 }),
  (db) => proposalReads.overdueProposals(db, { nowMs: 9, limit: 5 }),
  (db) => proposalReads.proposalList(db, { accountId: null, limit: 5 }),
  (db) => proposalReads.proposalList(db, { accountId: 1, limit: 5 }),
  (db) => inboxReads.requestsWaiting(db, { accountId: null, nowMs: 9, limit: 5 }),
  (db) => inboxReads.requestsWaiting(db, { accountId: 1, nowMs: 9, limit: 5 }),
  (db) => inboxReads.proposalsWaiting(db, { accountId: null, nowMs: 9, limit: 5 }),
  (db) => inboxReads.proposalsWaiting(db, { accountId: 1, nowMs: 9, limit: 5 }),
  (db) => inboxReads.payoutsBefore(db, { ...PLACE, id: 9, currency: "ETH" }, 9),
  (db) => inboxReads.paidBefore(db, { ...PLACE, id: 9, toAddress: "0xAbCd" }),
  (db) => userReads.deciders(db, null),
  (db) => userReads.deciders(db, 1),
];
