import type { TransactionInfo } from "./decode_info.ts";
import type { TronTransaction } from "./decode_block.ts";
import { TRANSFER, TRIGGER } from "../transfers/transaction.ts";
import { readTransferLog } from "../trc20.ts";

/** Money that a transaction moved. Addresses are hex; for the position see `Transfer`. */
export interface Payment {
  readonly position: number;
  readonly contract: string | null;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

export function hasSucceeded({ raw, contractRet, info }: TronTransaction): boolean {
  return contractRet === "SUCCESS" && hasInfoSucceeded(info, raw.type === TRIGGER);
}

/** Only contract calls have a result of their own. */
export function hasInfoSucceeded(
  { isFailed, result }: TransactionInfo,
  isCall = result !== undefined,
): boolean {
  return !isFailed && (isCall || result !== undefined ? result === "SUCCESS" : true);
}

const NOT_TOLD: readonly unknown[] = [undefined, "SUCCESS", "DEFAULT", "UNKNOWN"];

/** Failure must be explicit; a missing field is no failure. */
export function hasInfoFailed({ isFailed, result }: TransactionInfo): boolean {
  return isFailed || !NOT_TOLD.includes(result);
}

/** All coins and listed tokens that a transaction moved; nothing if it failed. */
export function paymentsOf(
  tx: TronTransaction,
  { contracts, traces }: { contracts: ReadonlySet<string>; traces: boolean },
): Payment[] {
  const { raw, info } = tx;
  if (!hasSucceeded(tx)) return [];
  const payments = tokenPayments(info, contracts);
  if (traces) payments.push(...innerPayments(info));
  if (raw.type === TRANSFER && raw.transfer && raw.owner !== null && raw.transfer.amountRaw > 0n) {
    payments.unshift({ position: 0, contract: null, from: raw.owner, ...raw.transfer });
  }
  return payments;
}

export function tokenPayments(
  { logs }: TransactionInfo,
  contracts: ReadonlySet<string>,
): Payment[] {
  return logs.flatMap((log, ordinal) => {
    const move = contracts.has(log.contract) ? readTransferLog(log) : undefined;
    return move ? [{ position: 1 + ordinal, ...move }] : [];
  });
}

export function innerPayments({ inner = [] }: TransactionInfo): Payment[] {
  return inner.map(({ index, ...payment }) => ({
    position: -2 - index,
    contract: null,
    ...payment,
  }));
}
