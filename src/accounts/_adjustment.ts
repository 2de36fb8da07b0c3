import type { Amount } from "../domain/money/amount.ts";
import { available, type Balance } from "../domain/money/balance.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isoUtc } from "../domain/time.ts";
import { AdjustmentReferences } from "../books/table.ts";
import type { AdjustmentReferenceRow, BalanceRow, LedgerEntryRow } from "../books/table.ts";
import type { View } from "../store/engine/workspace.ts";
import type { Asset } from "../books/records.ts";

/** A reference returns what it booked before; a different order under it is refused. */
export function bookedBefore(
  before: AdjustmentReferenceRow,
  { asset, amount }: { asset: Asset; amount: Amount },
): BalanceRow {
  const { accountId, network, currency, reference } = before;
  const isSame = network === asset.network && currency === asset.currency &&
    before.amount === amount.toString();
  if (isSame) {
    return { accountId, network, currency, balance: before.balanceAfter, held: before.heldAfter };
  }
  const at = isoUtc(before.createdAtMs);
  throw refuse("reference_taken", { reference, amount: before.amount, currency, network, at });
}

export function noteReference(
  view: View,
  order: BalanceRow & { reference: string; amount: string; nowMs: number },
): void {
  const { balance, held, nowMs, ...fields } = order;
  const after = { balanceAfter: balance, heldAfter: held };
  view.insertKeyed(AdjustmentReferences, { ...fields, ...after, createdAtMs: nowMs });
}

/** A typo must not make an account's balance negative. */
export function assertCovered(
  balance: Balance,
  { asset, amount }: { asset: Asset; amount: Amount },
): void {
  const before = available(balance);
  const left = before.plus(amount);
  if (!amount.isNegative() || !left.isNegative()) return;
  throw refuse("adjustment_uncovered", {
    ...asset,
    available: before.toString(),
    amount: amount.toString(),
    left: left.toString(),
  });
}

/** Two equal entries this close together are probably one that was sent twice. */
const REPEAT_MS = 60_000;

export function isRepeat(
  last: LedgerEntryRow | undefined,
  { amount, note, nowMs }: { amount: Amount; note: string; nowMs: number },
): boolean {
  return last?.kind === "adjust" && last.amount === amount.toString() && last.note === note &&
    nowMs - last.createdAtMs < REPEAT_MS;
}
