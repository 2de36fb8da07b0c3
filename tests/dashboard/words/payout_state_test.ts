import assert from "node:assert/strict";
import { Amount } from "../../../src/domain/money/amount.ts";
import {
  type PayoutKnown,
  payoutSentence,
  whyText,
} from "../../../src/withdrawals/words/payout_state.ts";
import type { WhyUnsigned } from "../../../src/payouts/why_unsigned.ts";
import { FAILURE_REASONS, WITHDRAWAL_STATUSES } from "../../../src/withdrawals/rules/moves.ts";

const ROW = { status: "pending", failureReason: null, errorMessage: null } as const;
const KNOWN: PayoutKnown = {
  ...{ row: ROW, whys: [], approvals: undefined, isSigned: false, depth: undefined },
  ...{ blocksNeeded: 3, isRevoked: false, ending: undefined },
};

function said(known: Partial<PayoutKnown>, row: Partial<PayoutKnown["row"]> = {}): string {
  return payoutSentence({ ...KNOWN, ...known, row: { ...ROW, ...row } });
}

Deno.test("a payout's state is said in a sentence, whatever its status and reason", () => {
  for (const status of WITHDRAWAL_STATUSES) {
    for (const failureReason of [null, ...FAILURE_REASONS]) {
      const text = said({}, { status, failureReason, errorMessage: "no coins." });
      assert.match(text, /^[A-Z].*[^.]\.$/s, `${status} ${failureReason}`);
      assert.doesNotMatch(text, /undefined|null|\.\./);
    }
  }
  const gone = "The held amount is available again.";
  assert.equal(said({}), "Accepted. It is signed and sent in a moment.");
  assert.equal(said({ isSigned: true }), "Signed, and about to be sent.");
  const sent = { status: "broadcasted" } as const;
  assert.equal(said({}, sent), "Sent, and in no block yet.");
  assert.equal(said({ depth: 1 }, sent), "In a block. It counts as paid after 3 blocks.");
  assert.equal(
    said({ depth: 1, blocksNeeded: 1 }, sent),
    "In a block. It counts as paid after 1 block.",
  );
  assert.match(said({ isRevoked: true }, sent), /^Being revoked/);
  const cancelled = { status: "cancelled" } as const;
  assert.match(said({ ending: "rejected" }, cancelled), /^Rejected by an approver/);
  assert.match(said({ ending: "expired" }, cancelled), /nobody approved it in time/);
  assert.match(said({ ending: "cancelled" }, cancelled), /^Cancelled before anything was signed/);
  const failed = { status: "failed", errorMessage: "The wallet is empty." } as const;
  assert.equal(
    said({}, { ...failed, failureReason: "broadcast_rejected" }),
    `Failed before anything was sent: The wallet is empty. ${gone}`,
  );
  assert.match(said({}, { ...failed, failureReason: "dropped" }), /another transaction was mined/);
});

Deno.test("what keeps a payout from being signed is said, and what would help", () => {
  const held = Amount.parse("8.27", "ETH/ETH");
  const onDeposits = Amount.parse("115", "ETH/ETH");
  const short = { code: "short", held, onDeposits, isCut: false, isSweptThere: true } as const;
  const text = (why: WhyUnsigned) => whyText(why, KNOWN);
  const begin = "8.27 ETH in the hot wallet";
  assert.equal(text(short), `${begin}, 115 on deposit addresses. Fund it or wait for a sweep.`);
  assert.equal(
    text({ ...short, isSweptThere: false, isCut: true }),
    `${begin}, more than 115 on deposit addresses. Fund it.`,
  );
  assert.equal(text({ ...short, onDeposits: Amount.zero("ETH/ETH") }), `${begin}. Fund it.`);
  const approvals = (
    needed: number,
    given: number,
    decidedBy: "operator" | "merchant" = "merchant",
  ) => whyText({ code: "approval" }, { approvals: { needed, given, decidedBy } });
  assert.match(approvals(2, 1), /^Waiting for 1 more approval\. Nothing is signed before/);
  assert.match(approvals(3, 1), /^Waiting for 2 more approvals\./);
  assert.match(approvals(3, 1, "operator"), /^Waiting for 2 more approvals by the operator\./);
  assert.match(said({ whys: [{ code: "stopped" }, short] }), /until an operator resumes/);
});
