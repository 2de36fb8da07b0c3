import { Accounts, ReceivingWallets } from "../accounts/tables/accounts.ts";
import { Alerts } from "../alerts/table.ts";
import { isStopped } from "../books/stopped.ts";
import { Freezes } from "../books/table.ts";
import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import { NetworkCursors } from "../following/table.ts";
import { DEPOSITS_MAX, sumOf } from "./payable.ts";
import { unsweptAmounts } from "./reads.ts";
import type { HeldBack } from "./rules/held_back.ts";
import { feeTooHighOf } from "../transfers/preflight.ts";
import { lookAtWallets } from "../wallets/look.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { priceAlert } from "../withdrawals/failing.ts";
import { whyHeldBack } from "../withdrawals/held_back.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";

/** Why nothing was signed yet for an accepted payout. */
export type WhyUnsigned =
  | WhyNotAllowed
  | { readonly code: "no_wallet" | "wallet_halted" | "node_silent" | "too_expensive" }
  | Short;

/** As far as the books say it. */
export type WhyNotAllowed =
  | { readonly code: "stopped" | "suspended" | "paused" | "approval" }
  | { readonly code: "held_back"; readonly why: HeldBack };

/** The hot wallet holds less than all that is ordered from it. */
interface Short {
  readonly code: "short";
  readonly held: Amount;
  readonly onDeposits: Amount;
  /** There is more on deposit addresses than this. */
  readonly isCut: boolean;
  /** Sweeps go to the hot wallet, so waiting helps too. */
  readonly isSweptThere: boolean;
}

const LOOK_MS = 1_500;

/** In the order in which they have to be solved; empty if it is about to be signed. */
export async function whyUnsigned(deps: Deps, row: WithdrawalRow): Promise<WhyUnsigned[]> {
  const { network } = row;
  const [whys, isTooExpensive, wallet] = await Promise.all([
    whyNotAllowed(deps, row),
    priceTooHigh(deps, network),
    hotWalletOf(deps.db, row),
  ]);
  return [
    ...whys,
    ...isTooExpensive ? [{ code: "too_expensive" } as const] : [],
    ...await whyNotFrom(deps, { row, wallet }),
  ];
}

/** Without a look at the chain. */
export async function whyNotAllowed(deps: Deps, row: WithdrawalRow): Promise<WhyNotAllowed[]> {
  const { db } = deps;
  const { accountId, network, currency } = row;
  const [held, isAllStopped, account, freeze, cursor] = await Promise.all([
    whyHeldBack(deps, row),
    isStopped(deps),
    db.find(Accounts, [accountId]),
    db.find(Freezes, [accountId, network, currency]),
    db.find(NetworkCursors, [network]),
  ]);
  const isHalted = (cursor?.haltedReason ?? null) !== null;
  return [
    ...isAllStopped ? [{ code: "stopped" } as const] : [],
    ...(account?.suspendedAtMs ?? null) !== null ? [{ code: "suspended" } as const] : [],
    ...freeze !== undefined || isHalted ? [{ code: "paused" } as const] : [],
    ...held === undefined ? [] : [{ code: "held_back", why: held } as const],
    ...row.approval === "waiting" ? [{ code: "approval" } as const] : [],
  ];
}

async function priceTooHigh(deps: Deps, network: string): Promise<boolean> {
  const alerts = [priceAlert(network), feeTooHighOf({ code: network })];
  const open = await Promise.all(
    alerts.map(({ kind, subject }) => deps.db.find(Alerts, [kind, subject, 1], "open")),
  );
  return open.some((alert) => alert !== undefined);
}

async function whyNotFrom(
  deps: Deps,
  { row, wallet }: { row: WithdrawalRow; wallet: AddressRow | undefined },
): Promise<WhyUnsigned[]> {
  if (!wallet) return [{ code: "no_wallet" }];
  if (wallet.haltedReason !== null) return [{ code: "wallet_halted" }];
  const [look] = await lookAtWallets(deps, { rows: [wallet], waitMs: LOOK_MS });
  const stock = look?.stocks.find(({ symbol }) => symbol === row.currency);
  if (!stock) return [];
  const { held, needed, target } = stock;
  if (!held) return [{ code: "node_silent" }];
  if (!held.isLessThan(needed.plus(target))) return [];
  const { accountId, network } = row;
  const [found, receiving] = await Promise.all([
    unsweptAmounts(deps.db, { network, accountId, limit: DEPOSITS_MAX }),
    deps.db.find(ReceivingWallets, [accountId, network]),
  ]);
  const onDeposits = sumOf(found, { symbol: row.currency, asset: held.asset });
  const isCut = found.length === DEPOSITS_MAX;
  return [{
    ...{ code: "short", held, onDeposits, isCut },
    isSweptThere: receiving?.address === wallet.address,
  }];
}
