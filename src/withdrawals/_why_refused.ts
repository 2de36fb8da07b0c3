import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { TransferRefused } from "../chains/transfer.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import type { CurrencyRow } from "../store/tables/setup.ts";
import type { WithdrawalRow } from "./table.ts";
import { amountOf } from "../books/address_books.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";

interface RefusedPayment {
  readonly wallet: AddressRow;
  readonly withdrawal: Pick<WithdrawalRow, "network" | "currency" | "amount">;
  readonly currency: CurrencyRow;
  readonly preflight: TransferRefused;
}

/** If the wallet has too little, says how much: nodes use base units, and tokens their own words. */
export async function whyRefused(
  chain: Chain,
  { wallet, withdrawal, currency, preflight }: RefusedPayment,
): Promise<CannotPay> {
  const refused = refusedBy(preflight);
  const { contractAddress: contract, symbol } = currency;
  const isMaybeEmpty = preflight.cause === (contract === null ? "unaffordable" : "reverts");
  const held = isMaybeEmpty ? await heldBy(chain, { wallet, currency }) : undefined;
  const asked = Amount.parse(withdrawal.amount, assetOf(withdrawal));
  if (!held?.isLessThan(asked)) return refused;
  return new CannotPay(
    `The hot wallet has ${held} ${symbol}, and ${asked} ${symbol} are to be paid`,
    contract === null ? "coins" : "tokens",
  );
}

/** Undefined if the node doesn't answer now; the refusal stays. */
async function heldBy(
  chain: Chain,
  { wallet, currency }: Pick<RefusedPayment, "wallet" | "currency">,
): Promise<Amount | undefined> {
  const { contractAddress: contract } = currency;
  try {
    const state = await chain.walletState(wallet.address, contract === null ? [] : [contract]);
    const raw = contract === null ? state.nativeRaw : state.tokensRaw.get(contract);
    return raw === undefined ? undefined : amountOf(raw, currency);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
