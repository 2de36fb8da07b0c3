import { AuditLog } from "../../store/tables/audit.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { SignedTransfers } from "../../store/tables/signed_transfers.ts";
import { TamperedRow } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

/** A genuine row may be an old version that was put back after it was paid. */
export class UnprovenWithdrawal extends TamperedRow {
  override name = "UnprovenWithdrawal";

  constructor({ id, accountId }: WithdrawalRow) {
    super(Withdrawals.name, { key: String(id), accountId });
    this.message = `Nothing proves that withdrawal ${id} was not paid already: the audit log is ` +
      "not whole since it was requested";
  }
}

/** Whether the books prove that nothing was ever signed to pay it. */
export async function isNeverSigned({ db, memory }: Deps, order: WithdrawalRow): Promise<boolean> {
  const { id } = order;
  const [signed, noted] = await Promise.all([
    db.list(SignedTransfers, { withdrawalId: id }),
    db.list(AuditLog, { subject: `withdrawal:${id}` }),
  ]);
  return signed.length === 0 && await memory.withdrawalTrail.isUntouched(order, noted);
}

export function isUnsigned({ status, transferId }: WithdrawalRow): boolean {
  return status === "pending" && transferId === null;
}
