import { Amount } from "../domain/money/amount.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import type { CurrencyRow, ReceivingWalletRow } from "../store/tables/setup.ts";
import { type SweepRow, Sweeps } from "./table.ts";
import { parkedSweeps } from "./reads/sweeps.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import { isGenuine } from "../books/tampered.ts";
import { isNewestReceiver } from "../integrity/newest.ts";
import type { Deps } from "../deps/deps.ts";

/**
 * This many parked sweeps of one account, or accounts with one, mean that the token itself is in
 * trouble. One account alone must not stop the others: its receiving wallet may be one that nothing
 * can reach.
 */
const PARKED_MAX = 3;

interface Wanted {
  readonly sweep: SweepRow;
  readonly currency: CurrencyRow;
  readonly address: AddressRow;
  readonly wallet: ReceivingWalletRow;
  readonly amount: Amount;
}

/** Reasons to wait that need no node. */
export async function whyWait(
  deps: Deps,
  { sweep, currency, address, wallet, amount }: Wanted,
): Promise<SweepReason | undefined> {
  const isOurs = await isNewestReceiver(deps, wallet) &&
    await isGenuine(deps, Addresses, address) && await isGenuine(deps, Sweeps, sweep);
  if (!isOurs) return { code: "tampered", reason: "its rows were tampered with" };
  const { haltedReason } = address;
  if (haltedReason !== null) return { code: "wallet_halted", reason: haltedReason };
  const { sweepMinAmount, contractAddress, symbol } = currency;
  if (amount.isLessThan(Amount.parse(sweepMinAmount, amount.asset))) {
    const reason = `${amount} is less than the sweep minimum ${sweepMinAmount}`;
    return { code: "below_minimum", reason };
  }
  if (contractAddress === null) return undefined;
  const parked = await parkedSweeps(deps.db, sweep);
  if (Math.max(parked.own, parked.accounts) < PARKED_MAX) return undefined;
  const reason = `sweeps of ${symbol} are paused: ${PARKED_MAX} of them are parked`;
  return { code: "others_parked", reason };
}
