import { Amount } from "../../domain/money/amount.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import type { PayoutOrder } from "./fields.ts";

/** Without the reference, by which the first one was found. */
type Compared = Omit<PayoutOrder, "clientReference">;

interface Comparing {
  /** More than these were cut off. Undefined: nobody knows how many. */
  readonly decimals: number | undefined;
  /** An address in one spelling. If absent, each spelling is another address. */
  spelled?(address: string): string;
}

/** Whether a payout is what was asked for. The compiler asks for a line for all that can be asked. */
export function isSamePayout(
  made: Compared,
  asked: Compared,
  { decimals, spelled = (address) => address }: Comparing,
): boolean {
  const wanted = Amount.parse(asked.amount, "");
  const kept = decimals === undefined ? wanted : wanted.truncatedTo(decimals);
  const isSame: Readonly<Record<keyof Compared, boolean>> = {
    network: isSameSymbol(made.network, asked.network),
    currency: isSameSymbol(made.currency, asked.currency),
    toAddress: spelled(made.toAddress) === spelled(asked.toAddress),
    amount: kept.equals(Amount.parse(made.amount, "")),
  };
  return Object.values(isSame).every(Boolean);
}
