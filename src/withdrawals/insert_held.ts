import type { Amount } from "../domain/money/amount.ts";
import type { Read, View } from "../store/engine/workspace.ts";
import type { BalanceRow } from "../books/table.ts";
import { type Given, givenOf } from "./rules/fields.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";
import { type Asset, postEntry } from "../books/records.ts";

interface HeldWithdrawal {
  readonly asset: Asset;
  readonly keyId: string;
  readonly given: Given;
  readonly toAddress: string;
  readonly amount: Amount;
  readonly fee: Amount;
  readonly balance: Read<BalanceRow>;
  readonly nowMs: number;
  readonly approval?: WithdrawalRow["approval"];
  readonly policyValues?: WithdrawalRow["policyValues"];
}

/** A withdrawal and what is held for it, which never exist without each other. */
export function insertHeld(view: View, held: HeldWithdrawal): WithdrawalRow {
  const { asset, keyId, given, toAddress, amount, fee, balance, nowMs } = held;
  const row = view.insert(Withdrawals, {
    ...asset,
    keyId,
    ...givenOf(given),
    toAddress,
    amount: amount.toString(),
    fee: fee.toString(),
    status: "pending",
    transferId: null,
    txHash: null,
    errorMessage: null,
    failureReason: null,
    requestedAtMs: nowMs,
    broadcastAtMs: null,
    confirmedAtMs: null,
    approval: held.approval ?? null,
    policyValues: held.policyValues ?? null,
  });
  const cost = amount.plus(fee);
  postEntry(view, { ...asset, kind: "hold", amount: cost, withdrawalId: row.id, nowMs, balance });
  return row;
}
