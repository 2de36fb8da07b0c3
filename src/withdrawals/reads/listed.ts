import { OPEN_WITHDRAWAL_STATUSES } from "../rules/moves.ts";
import { WITHDRAWAL_STATUSES } from "../rules/moves.ts";
import type { Db } from "../../store/engine/db.ts";
import { Refunds } from "../../refunds/table.ts";
import { ENDED, type WithdrawalRow, Withdrawals } from "../table.ts";
import { type Fact, hasOne, type Listing } from "../../store/lists/listing.ts";

const RECIPIENT = "lower(to_address)";
const KIND = {
  index: "withdrawals_kind",
  columns: ["account_id", "status", "network", "currency"],
};

export const WITHDRAWALS_LISTED: Listing<WithdrawalRow> = {
  table: Withdrawals,
  time: "requested_at_ms",
  narrow: [
    // Open ones are in no index of recipients.
    [
      {
        ...{ index: "withdrawals_recipient", columns: ["account_id", RECIPIENT], where: ENDED },
        only: {
          status: WITHDRAWAL_STATUSES.filter((one) =>
            !OPEN_WITHDRAWAL_STATUSES.some((open) => open === one)
          ),
        },
      },
      { ...KIND, only: { status: OPEN_WITHDRAWAL_STATUSES } },
    ],
  ],
  ways: [
    [KIND],
    [{ index: "withdrawals_account", columns: ["account_id"] }],
    [{ index: "withdrawals_status", columns: ["status"] }],
  ],
};

/** Withdrawals keep an address as it was written. */
export function isPaidTo({ canonical, hasOneSpelling }: {
  readonly canonical: string;
  readonly hasOneSpelling: boolean;
}): Fact {
  const lower = hasOne(RECIPIENT, [canonical.toLowerCase()]);
  return hasOneSpelling ? { ...lower, others: [["to_address = ?", canonical]] } : lower;
}

/** Whichever of the account's keys sent it; null: of any account's. */
export async function isReferredTo(
  db: Db,
  { accountId, reference }: { accountId: number | null; reference: string },
): Promise<Fact> {
  const [owned, owner] = accountId === null ? ["", []] : ["WHERE account_id = ?", [accountId]];
  const rows = await db.query(
    `SELECT id
FROM withdrawals INDEXED BY withdrawals_reference
WHERE key_id IN (SELECT key_id FROM api_keys ${owned}) AND client_reference = ?`,
    [...owner, reference],
  );
  return hasOne("id", rows.map(({ id }) => Number(id)));
}

/** An invoice has few enough for a look-up of each. */
export async function isRefundOf(db: Db, invoiceId: number): Promise<Fact> {
  const refunds = await db.list(Refunds, { invoiceId });
  return hasOne("id", refunds.map(({ withdrawalId }) => withdrawalId));
}
