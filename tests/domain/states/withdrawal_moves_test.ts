import assert from "node:assert/strict";
import {
  WITHDRAWAL_MOVES,
  WITHDRAWAL_STATUSES,
  withdrawalMove,
  type WithdrawalStatus,
  type WithdrawalTrigger,
} from "../../../src/withdrawals/rules/moves.ts";

/** Spec 3.1, with its two failing triggers split by their reasons (contract 4). */
const LEGAL: Record<string, { to: string; ledger?: string; event?: string }> = {
  "pending, sent": { to: "broadcasted", event: "withdrawal.broadcasted" },
  "pending, broadcast_rejected": { to: "failed", ledger: "release", event: "withdrawal.failed" },
  "pending, no_hot_wallet": { to: "failed", ledger: "release", event: "withdrawal.failed" },
  "pending, cancelled": { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
  "pending, rejected": { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
  "pending, expired": { to: "cancelled", ledger: "release", event: "withdrawal.cancelled" },
  "broadcasted, confirmed": { to: "confirmed", ledger: "debit", event: "withdrawal.confirmed" },
  "broadcasted, dropped": { to: "failed", ledger: "release", event: "withdrawal.failed" },
  "broadcasted, reverted": { to: "failed", ledger: "release", event: "withdrawal.failed" },
  "broadcasted, expired": { to: "failed", ledger: "release", event: "withdrawal.failed" },
};

const STATUSES: WithdrawalStatus[] = [
  "pending",
  "broadcasted",
  "confirmed",
  "failed",
  "cancelled",
];
const TRIGGERS: WithdrawalTrigger[] = [
  "sent",
  "broadcast_rejected",
  "no_hot_wallet",
  "cancelled",
  "rejected",
  "confirmed",
  "dropped",
  "reverted",
  "expired",
];

for (const status of STATUSES) {
  for (const trigger of TRIGGERS) {
    const expected = LEGAL[`${status}, ${trigger}`];
    const outcome = expected ? `becomes ${expected.to}` : "stays what it is";
    Deno.test(`spec 3.1: a ${status} withdrawal that gets "${trigger}" ${outcome}`, () => {
      assert.deepEqual(withdrawalMove(status, trigger), expected);
    });
  }
}

Deno.test("spec 3.1: withdrawals have these statuses and triggers and no others", () => {
  assert.deepEqual(WITHDRAWAL_STATUSES, STATUSES);
  const triggers = Object.values(WITHDRAWAL_MOVES).flatMap((moves) => Object.keys(moves));
  assert.deepEqual(new Set(triggers), new Set(TRIGGERS));
});

Deno.test("spec 3.2: a withdrawal's hold ends exactly once, on every path to a final status", () => {
  const ends = new Set<string>();
  const walk = (status: WithdrawalStatus, ledger: readonly string[]) => {
    const next = TRIGGERS.map((trigger) => withdrawalMove(status, trigger)).filter((move) =>
      !!move
    );
    if (next.length === 0) {
      ends.add(status);
      assert.deepEqual(ledger, [status === "confirmed" ? "debit" : "release"], status);
    }
    for (const move of next) walk(move.to, move.ledger ? [...ledger, move.ledger] : ledger);
  };
  walk("pending", []);
  assert.deepEqual(ends, new Set(["confirmed", "failed", "cancelled"]));
});
