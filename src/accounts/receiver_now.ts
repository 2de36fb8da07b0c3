import { keyOf, nowAt, save } from "./_receiving_row.ts";
import { type ReceivingWalletRow, ReceivingWallets } from "./tables/accounts.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";

/** How far the newest block's time may be behind ours. */
const CHAIN_BEHIND_MS = 5 * 60_000;

/**
 * The wallet as it counts now. A change takes effect once our clock and the chain's newest block
 * have both passed its time, so that a clock that jumps ahead shortens nothing.
 */
export async function receiverNow(
  deps: Deps,
  { network, wallet }: { network: NetworkRow; wallet: ReceivingWalletRow },
): Promise<ReceivingWalletRow> {
  if (wallet.nextAtMs === null || wallet.nextAtMs > deps.clock.nowMs()) return wallet;
  const tip = await deps.chains.of(network).tip();
  if (tip.atMs + CHAIN_BEHIND_MS < wallet.nextAtMs) return wallet;
  return await takeEffect(deps, { network, wallet });
}

async function takeEffect(
  { db, clock }: Deps,
  { network, wallet }: { network: NetworkRow; wallet: ReceivingWalletRow },
): Promise<ReceivingWalletRow> {
  const { accountId, nextAddress, nextAtMs } = wallet;
  const key = keyOf(wallet);
  return await db.write({
    reads: [read(ReceivingWallets, key)],
    decide: (view) => {
      const before = view.get(ReceivingWallets, key);
      // Cancelled or changed again since it was read.
      if (before.nextAtMs !== nextAtMs || before.nextAddress !== nextAddress) return before;
      const patch = nowAt(nextAddress ?? before.address);
      const approved = view.atOnce("what was approved before takes effect");
      return save(approved, { accountId, actor: "worker", network, before, patch, clock });
    },
  });
}
