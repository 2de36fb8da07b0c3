import * as approvalReads from "../../../src/store/reads/control/approvals.ts";
import * as payeeReads from "../../../src/store/reads/control/payees.ts";
import * as policyReads from "../../../src/store/reads/control/policies.ts";
import type { Ask } from "./page_examples.ts";

const AS_OF = { withdrawalId: 9, approvalId: 9, releaseId: 9 };
const PLACE = { accountId: 1, network: "ETH", address: "0xAbCd" };

/** Rules, payees and approvals. */
export const CONTROL_READS: readonly Ask[] = [
  policyReads.allPolicies,
  (db) => policyReads.lastPolicyChange(db, "policies"),
  (db) =>
    policyReads.edgeRows(db, { meterId: 1, split: "", edgeMs: 9 }, [
      { spanMs: 1, fromMs: 10, untilMs: 20 },
    ]),
  (db) => policyReads.releasesToCount(db, 5),
  (db) => policyReads.countedPayments(db, { from: 1, below: 9, limit: 5 }, AS_OF),
  (db) => policyReads.approvedPayments(db, { afterMs: 9 }, AS_OF),
  (db) => approvalReads.openRequests(db, { limit: 5 }),
  (db) => approvalReads.expiredRequests(db, { nowMs: 9, afterId: 0, limit: 5 }),
  (db) => payeeReads.payees(db, { accountId: undefined, limit: 5 }),
  (db) => payeeReads.payees(db, { accountId: 1, limit: 5 }),
  (db) => payeeReads.payeesOf(db, PLACE),
  (db) => payeeReads.recipientsLike(db, PLACE),
];
