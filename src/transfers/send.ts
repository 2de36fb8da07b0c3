import type { BroadcastResult } from "../chains/transfer.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { NetworkRow } from "../networks/table.ts";
import { unminedBefore } from "./reads/claims.ts";
import { type SignedTransactionRow, SignedTransactions } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

/**
 * Records beforehand that bytes are sent: after that, an earlier sender whose attempt was refused
 * must not call them unsent. False: they must not be sent.
 */
export async function claimSending(deps: Deps, { id }: SignedTransactionRow): Promise<boolean> {
  return await deps.db.write({
    reads: [read(SignedTransactions, [id])],
    decide: (view) => {
      const row = view.get(SignedTransactions, [id]);
      if (row.state !== "open" || row.isForeign) return false;
      view.update(SignedTransactions, row, { sentAtMs: deps.clock.nowMs() });
      return true;
    },
  });
}

/**
 * Where one spends what others make, a node that has lost those would refuse it: they are sent
 * first then. A refusal after that is as certain as one before.
 */
export async function broadcastInFamily(
  deps: Deps,
  { network, chain, tx }: { network: NetworkRow; chain: Chain; tx: SignedTransactionRow },
): Promise<BroadcastResult> {
  const result = await chain.broadcast(tx.raw);
  if (result.kind !== "rejected" || familyOf(network.family).holdings !== "outputs") return result;
  const before = await unminedBefore(deps.db, tx);
  if (before.length === 0) return result;
  for (const one of before) await sendTransfer(deps, { chain, tx: one });
  return await chain.broadcast(tx.raw);
}

/** For what nobody waits for: whatever the nodes answer, they are sent again later. */
export async function sendTransfer(
  deps: Deps,
  order: { chain: Chain; tx: SignedTransactionRow },
): Promise<Sending["kind"]> {
  return (await trySending(deps, order)).kind;
}

type Sending = BroadcastResult | { readonly kind: "unclaimed" };

/** The same, with the reason. */
export async function trySending(
  deps: Deps,
  { chain, tx }: { chain: Chain; tx: SignedTransactionRow },
): Promise<Sending> {
  if (!await claimSending(deps, tx)) return { kind: "unclaimed" };
  try {
    return await chain.broadcast(tx.raw);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { kind: "unknown", reason: error.message };
  }
}
