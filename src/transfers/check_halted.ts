import { WalletHalted } from "../domain/cannot_pay.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/**
 * What the books lack may be on its way still, so a halted wallet does nothing that it might have
 * done already. For whoever asks, before anything is looked up.
 */
export function refuseHalted(wallet: AddressRow): void {
  const refusal = refusalOf(wallet);
  if (refusal) throw refusal;
}

/** The same where it is signed. */
export function checkNotHalted(wallet: AddressRow): void {
  const refusal = refusalOf(wallet);
  if (refusal) throw new WalletHalted(refusal.message);
}

function refusalOf({ network, address, haltedReason }: AddressRow): ActionRefused | undefined {
  if (haltedReason === null) return undefined;
  return refuse("wallet_signs_nothing", { network, address, why: haltedReason });
}
