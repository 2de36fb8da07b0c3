import { refuse } from "../domain/refusals/refuse.ts";
import { restoredAtMs } from "./rules/restore_number.ts";
import { isoUtc } from "../domain/time.ts";
import { isRestored } from "../wallets/halt.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import type { Resuming } from "./_read_back.ts";
import type { Deps } from "../deps/deps.ts";
import { cursorOf } from "../books/find.ts";

/** Something signed just before the books were lost isn't in them, and may still be mined. */
export async function checkOutlived(deps: Deps, resuming: Resuming): Promise<void> {
  if (!isRestored(resuming.wallet)) return;
  await checkPools(deps, resuming);
  await checkExpired(deps, resuming);
}

async function checkPools(
  deps: Deps,
  { network, wallet: { address }, state }: Resuming,
): Promise<void> {
  const pending = await deps.chains.of(network).pendingNonce(address);
  if (pending === null || pending <= state.nonce) return;
  const count = pending - state.nonce;
  throw refuse("payments_in_pool", { network: network.code, address, count });
}

/** By a final block, because a reorganisation may undo the newest ones. */
async function checkExpired(
  deps: Deps,
  { network, wallet: { address }, state }: Resuming,
): Promise<void> {
  const lifetimeMs = lifetimeOf(network);
  if (lifetimeMs === null) return;
  const { numberedFrom } = await deps.catalog.current();
  const { finalizedAgeMs } = await cursorOf(deps, network);
  const overAtMs = restoredAtMs(numberedFrom) + lifetimeMs + (finalizedAgeMs ?? 0);
  if (state.nonce > overAtMs) return;
  const until = isoUtc(overAtMs);
  const newest = isoUtc(state.nonce);
  throw refuse("payments_may_come", { network: network.code, address, until, newest });
}
