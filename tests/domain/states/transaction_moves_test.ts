import assert from "node:assert/strict";
import {
  confirmationsOf,
  CREDITED_STATUSES,
  DEPOSIT_MOVES,
  depositMove,
  type DepositTrigger,
  DIRECTIONS,
  OUTGOING_MOVES,
  outgoingMove,
  type OutgoingTrigger,
  TRANSACTION_STATUSES,
  type TransactionStatus,
} from "../../../src/deposits/rules/transaction_moves.ts";

interface Expected {
  readonly to: string;
  readonly ledger?: string;
  readonly event?: string;
}

/** Spec 3.4: the path of a deposit, or failed at any step; a credited one that fails is reversed. */
const DEPOSIT_LEGAL: Record<string, Expected> = {
  "detected, confirmed": { to: "confirmed", ledger: "credit", event: "deposit.confirmed" },
  "detected, vanished": { to: "failed" },
  "confirmed, sweep_started": { to: "sweep_pending" },
  "confirmed, vanished": { to: "failed", ledger: "reversal" },
  "sweep_pending, swept": { to: "swept" },
  "sweep_pending, sweep_abandoned": { to: "confirmed" },
  "sweep_pending, vanished": { to: "failed", ledger: "reversal" },
  "swept, sweep_undone": { to: "confirmed" },
  "swept, vanished": { to: "failed", ledger: "reversal" },
};

const OUTGOING_LEGAL: Record<string, Expected> = {
  "detected, confirmed": { to: "confirmed" },
  "detected, failed": { to: "failed" },
  "confirmed, undone": { to: "failed" },
};

const STATUSES: TransactionStatus[] = [
  "detected",
  "confirmed",
  "sweep_pending",
  "swept",
  "failed",
];
const DEPOSIT_TRIGGERS: DepositTrigger[] = [
  "confirmed",
  "vanished",
  "sweep_started",
  "swept",
  "sweep_abandoned",
  "sweep_undone",
];
const OUTGOING_TRIGGERS: OutgoingTrigger[] = ["confirmed", "failed", "undone"];

for (const status of STATUSES) {
  for (const trigger of DEPOSIT_TRIGGERS) {
    const expected = DEPOSIT_LEGAL[`${status}, ${trigger}`];
    const outcome = expected ? `becomes ${expected.to}` : "stays what it is";
    Deno.test(`spec 3.4: a ${status} deposit that gets "${trigger}" ${outcome}`, () => {
      assert.deepEqual(depositMove(status, trigger), expected);
    });
  }
  for (const trigger of OUTGOING_TRIGGERS) {
    const expected = OUTGOING_LEGAL[`${status}, ${trigger}`];
    const outcome = expected ? `becomes ${expected.to}` : "stays what it is";
    Deno.test(`spec 3.4: a ${status} outgoing transaction that gets "${trigger}" ${outcome}`, () => {
      assert.deepEqual(outgoingMove(status, trigger), expected);
    });
  }
}

Deno.test("spec 3.4: transactions have these statuses, triggers and directions and no others", () => {
  const triggers = (table: object) => new Set(Object.values(table).flatMap(Object.keys));
  assert.deepEqual(TRANSACTION_STATUSES, STATUSES);
  assert.deepEqual(triggers(DEPOSIT_MOVES), new Set(DEPOSIT_TRIGGERS));
  assert.deepEqual(triggers(OUTGOING_MOVES), new Set(OUTGOING_TRIGGERS));
  assert.deepEqual([...DIRECTIONS], ["deposit", "withdrawal", "sweep", "gas_topup"]);
});

Deno.test("a deposit is credited exactly while it is confirmed or later on its path", () => {
  const seen = new Set<string>();
  const walk = (status: TransactionStatus, credited: number) => {
    assert.equal(credited, CREDITED_STATUSES.includes(status) ? 1 : 0, status);
    if (seen.has(`${status} ${credited}`)) return;
    seen.add(`${status} ${credited}`);
    for (const trigger of DEPOSIT_TRIGGERS) {
      const move = depositMove(status, trigger);
      const effect = move?.ledger === "credit" ? 1 : move?.ledger === "reversal" ? -1 : 0;
      if (move) walk(move.to, credited + effect);
    }
  };
  walk("detected", 0);
  assert.equal(seen.size, STATUSES.length);
});

Deno.test("confirmations count the block itself and are 0 outside a block", () => {
  assert.equal(confirmationsOf(100, { blockNumber: 100, blockHash: "0xb" }), 1);
  assert.equal(confirmationsOf(100, { blockNumber: 89, blockHash: "0xb" }), 12);
  assert.equal(confirmationsOf(100, { blockNumber: 89, blockHash: null }), 0);
  assert.equal(confirmationsOf(100, { blockNumber: 0, blockHash: "0xb" }), 0);
  assert.equal(confirmationsOf(100, { blockNumber: 101, blockHash: "0xb" }), 1);
});
