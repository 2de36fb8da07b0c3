import { WALLET_LEVELS } from "../domain/wallet_level.ts";
import { Addresses } from "../store/tables.ts";
import { someWallets } from "../store/wallet_reads.ts";
import type { Deps } from "./deps.ts";
import { lately } from "./lately.ts";
import { lookAtWallets, type WalletLook } from "./look_at_wallets.ts";

export interface WatchedWallets {
  /** Those that need something first. */
  readonly looks: readonly WalletLook[];
  /** There are more than these. */
  readonly isCut: boolean;
}

export const WATCHED_MAX = 200;

interface WatchOrder {
  /** So many are shown, and looked at for each who asks. */
  readonly shownMax: number;
  readonly waitMs: number;
}

/** All wallets while they are few; of many those that need something, as it was seen lately. */
export async function watchWallets(
  deps: Deps,
  { shownMax, waitMs }: WatchOrder,
): Promise<WatchedWallets> {
  const few = await someWallets(deps.db, shownMax + 1);
  const isCut = few.length > shownMax;
  const rows = isCut ? await needyOf(deps, { shownMax, waitMs }) : few;
  const looks = await lookAtWallets(deps, { rows: rows ?? few.slice(0, shownMax), waitMs });
  return { looks: byUrgency(looks), isCut };
}

async function needyOf(deps: Deps, { shownMax, waitMs }: WatchOrder) {
  const look = async () => {
    const rows = await someWallets(deps.db, WATCHED_MAX);
    const looks = byUrgency(await lookAtWallets(deps, { rows, waitMs }));
    return looks.slice(0, shownMax).map(({ row }) => row.id);
  };
  const key = `wallets that need something ${shownMax}`;
  const ids = await lately(deps, { key, look, waitMs, waitAgainMs: 0 });
  if (!ids) return undefined;
  const rows = await Promise.all(ids.map((id) => deps.db.find(Addresses, [id])));
  return rows.filter((row) => row !== undefined);
}

export function byUrgency(looks: readonly WalletLook[]): WalletLook[] {
  return looks.toSorted((a, b) => WALLET_LEVELS.indexOf(a.level) - WALLET_LEVELS.indexOf(b.level));
}
