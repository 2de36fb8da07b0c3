import { INTEGRITY } from "./rules/refusals.ts";
import { AuditLog } from "../audit/table.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";
import { SignedPayments } from "../transfers/table.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";

/** A genuine row may be an old version that was put back after it was paid. */
export class UnprovenWithdrawal extends TamperedRow {
  override name = "UnprovenWithdrawal";

  constructor({ id, accountId }: WithdrawalRow) {
    const row = { key: String(id), accountId };
    super(Withdrawals.name, row, INTEGRITY.withdrawal_not_proven({ id }));
  }
}

/** Whether the books prove that nothing was ever signed to pay it. */
export async function isNeverSigned({ db, memory }: Deps, order: WithdrawalRow): Promise<boolean> {
  const { id } = order;
  const [signed, noted] = await Promise.all([
    db.list(SignedPayments, { withdrawalId: id }),
    db.list(AuditLog, { subject: `withdrawal:${id}` }),
  ]);
  return signed.length === 0 && await memory.withdrawalTrail.isUntouched(order, noted);
}

export function isUnsigned({ status, transferId }: WithdrawalRow): boolean {
  return status === "pending" && transferId === null;
}
