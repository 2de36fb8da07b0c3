import type { TransactionInfo } from "./decode_info.ts";
import type { TronTransaction } from "./decode_block.ts";
import { TRANSFER, TRIGGER } from "../transfers/transaction.ts";
import { readTransferLog } from "../trc20.ts";

/** Money that a transaction moved. Addresses are hex; see `Transfer` for the position. */
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

/** Only what called a contract has a result of its own. */
export function hasInfoSucceeded(
  { isFailed, result }: TransactionInfo,
  isCall = result !== undefined,
): boolean {
  return !isFailed && (isCall || result !== undefined ? result === "SUCCESS" : true);
}

const NOT_TOLD: readonly unknown[] = [undefined, "SUCCESS", "DEFAULT", "UNKNOWN"];

/** Said in so many words; what a node leaves out is no failure. */
export function hasInfoFailed({ isFailed, result }: TransactionInfo): boolean {
  return isFailed || !NOT_TOLD.includes(result);
}

/** Everything that a transaction moved in coins and in these tokens; nothing where it failed. */
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
