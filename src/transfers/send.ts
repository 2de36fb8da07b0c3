import type { BroadcastResult } from "../chains/transfer.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { type SignedTransferRow, SignedTransfers } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

/**
 * Records beforehand that bytes are sent: after that, an earlier sender whose attempt was refused
 * must not call them unsent. False: they must not be sent.
 */
export async function claimSending(deps: Deps, { id }: SignedTransferRow): Promise<boolean> {
  return await deps.db.write({
    reads: [read(SignedTransfers, [id])],
    decide: (view) => {
      const row = view.get(SignedTransfers, [id]);
      if (row.state !== "open" || row.purpose === "foreign") return false;
      view.update(SignedTransfers, row, { sentAtMs: deps.clock.nowMs() });
      return true;
    },
  });
}

/** For transfers that nobody waits for: whatever the nodes answer, they are sent again later. */
export async function sendTransfer(
  deps: Deps,
  { chain, transfer }: { chain: Chain; transfer: SignedTransferRow },
): Promise<BroadcastResult["kind"] | "unclaimed"> {
  if (!await claimSending(deps, transfer)) return "unclaimed";
  try {
    const { kind } = await chain.broadcast(transfer.raw);
    return kind;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return "unknown";
  }
}
