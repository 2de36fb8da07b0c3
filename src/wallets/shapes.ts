import { withAdvice } from "../operations/words/advice.ts";
import type { WalletLook } from "./look.ts";
import { missingOf } from "./rules/wallet_level.ts";
import type { AddressRow } from "./tables/addresses.ts";

function haltedReason({ haltedReason, haltedCode, network, address }: AddressRow): string | null {
  if (haltedReason === null || haltedCode === null) return haltedReason;
  return withAdvice(haltedReason, { code: "resume_wallet", network, address, halted: haltedCode });
}

export function walletShape(row: AddressRow) {
  return {
    network: row.network,
    account_id: row.accountId,
    purpose: row.purpose,
    address: row.address,
    halted_reason: haltedReason(row),
  };
}

/** Without a look, nobody has asked what it holds. */
export function walletLookShape(row: AddressRow, look: WalletLook | undefined) {
  return {
    ...walletShape(row),
    state: look?.level ?? (row.haltedReason === null ? "unknown" : "halted"),
    outputs: look?.outputs ?? null,
    holds: look?.stocks.map((stock) => ({
      currency: stock.symbol,
      amount: stock.held?.toString() ?? null,
      needed: stock.needed.toString(),
      missing: missingOf(stock).toString(),
    })) ?? [],
  };
}

type WalletHolding = ReturnType<typeof walletLookShape>["holds"][number];

/** For people: "10 ETH, 25 USDT". */
export function holdsText(holds: readonly WalletHolding[]): string[] {
  return holds.map(({ amount, currency }) => `${amount ?? "?"} ${currency}`);
}

/** What is to be sent there: "5 USDT"; of an empty one that owes nothing yet, only the currency. */
export function missingText(holds: readonly WalletHolding[]): string[] {
  return holds.flatMap(({ amount, missing, currency }) => {
    if (missing !== "0") return [`${missing} ${currency}`];
    return amount === "0" ? [`some ${currency}`] : [];
  });
}
