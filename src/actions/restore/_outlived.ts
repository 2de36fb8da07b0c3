import { OperatorError } from "../../domain/refusal.ts";
import { restoredAtMs } from "../../domain/restore_number.ts";
import { isoUtc } from "../../domain/time.ts";
import { isRestored } from "../wallets/halt.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import type { Resuming } from "./_read_back.ts";
import type { Deps } from "../deps.ts";
import { cursorOf } from "../books/find.ts";

/** Something signed just before the books were lost isn't in them, and may still be mined. */
export async function checkOutlived(deps: Deps, resuming: Resuming): Promise<void> {
  if (!isRestored(resuming.wallet)) return;
  await checkPools(deps, resuming);
  await checkExpired(deps, resuming);
}

async function checkPools(
  deps: Deps,
  { network, wallet: { address }, state, anyway }: Resuming,
): Promise<void> {
  const pending = await deps.chains.of(network).pendingNonce(address);
  if (pending === null || pending <= state.nonce) return;
  const waiting = pending - state.nonce;
  const count = waiting === 1 ? "One payment waits" : `${waiting} payments wait`;
  throw new OperatorError(
    `${count} in a node's pool, sent by ${address}: when all are in blocks, book what was ` +
      `yours with "wallet adopt", then try again; or ${anyway} if you know that none of it paid a ` +
      "withdrawal",
  );
}

/** By a final block, because a reorganisation may undo the newest ones. */
async function checkExpired(
  deps: Deps,
  { network, wallet: { address }, state, anyway }: Resuming,
): Promise<void> {
  const lifetimeMs = lifetimeOf(network);
  if (lifetimeMs === null) return;
  const { numberedFrom } = await deps.catalog.current();
  const { finalizedAgeMs } = await cursorOf(deps, network);
  const overAtMs = restoredAtMs(numberedFrom) + lifetimeMs + (finalizedAgeMs ?? 0);
  if (state.nonce > overAtMs) return;
  throw new OperatorError(
    `Blocks of ${network.code} may have what ${address} signed before the restore until ` +
      `${isoUtc(overAtMs)}, and the newest is from ${isoUtc(state.nonce)}: try again then; or ` +
      `${anyway} if you know that none of it paid a withdrawal`,
  );
}
