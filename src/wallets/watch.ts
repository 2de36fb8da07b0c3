import { WALLET_LEVELS, type WalletLevel } from "./rules/wallet_level.ts";
import { Addresses } from "./tables/addresses.ts";
import { someWallets } from "./reads/wallets.ts";
import type { Deps } from "../deps/deps.ts";
import { lately } from "../books/lately.ts";
import { lookAtWallets, type WalletLook } from "./look.ts";

export interface WatchedWallets {
  /** Those that need something come first. */
  readonly looks: readonly WalletLook[];
  /** There are more than these. */
  readonly isCut: boolean;
}

export const WATCHED_MAX = 200;
const NEEDY: readonly WalletLevel[] = ["halted", "empty", "low"];

interface WatchOrder {
  /** The number of wallets shown, and looked at for each viewer. */
  readonly shownMax: number;
  readonly waitMs: number;
}

/** All wallets if there are few; otherwise those that recently needed something. */
export async function watchWallets(
  deps: Deps,
  { shownMax, waitMs }: WatchOrder,
): Promise<WatchedWallets> {
  const few = await someWallets(deps.db, shownMax + 1);
  const isCut = few.length > shownMax;
  const seen = isCut ? await seenLately(deps, waitMs) : [];
  if (seen.length === 0) {
    const looks = await lookAtWallets(deps, { rows: few.slice(0, shownMax), waitMs });
    return { looks: byUrgency(looks), isCut };
  }
  // What a gas wallet needs depends on all hot wallets, so its own look is kept.
  const { gas = [], hot = [] } = Object.groupBy(
    byUrgency(seen).slice(0, shownMax),
    ({ row }) => row.purpose === "gas" ? "gas" : "hot",
  );
  const found = await Promise.all(hot.map(({ row }) => deps.db.find(Addresses, [row.id])));
  const rows = found.filter((row) => row !== undefined);
  const looks = await lookAtWallets(deps, { rows, waitMs });
  return { looks: byUrgency([...gas, ...looks]), isCut };
}

async function seenLately(deps: Deps, waitMs: number): Promise<readonly WalletLook[]> {
  const look = async () => {
    const rows = await someWallets(deps.db, WATCHED_MAX);
    return await lookAtWallets(deps, { rows, waitMs });
  };
  const order = { key: "watched wallets", look, waitMs, waitAgainMs: 0 };
  return await lately(deps, order) ?? [];
}

/** Worst first, but a gas wallet that needs something comes before all others: many depend on it. */
export function byUrgency(looks: readonly WalletLook[]): WalletLook[] {
  const rank = ({ row, level }: WalletLook) =>
    row.purpose === "gas" && NEEDY.includes(level) ? -1 : WALLET_LEVELS.indexOf(level);
  return looks.toSorted((a, b) => rank(a) - rank(b));
}
