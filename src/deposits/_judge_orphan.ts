import { NodeError } from "../chains/faults.ts";
import type { Outcome } from "../chains/transfer.ts";
import { NetworkBlocks } from "../following/table.ts";
import type { NetworkCursorRow } from "../following/table.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import type { TransactionRow } from "./tables/transactions.ts";
import { isFinal } from "../books/depth.ts";
import { isUnseen } from "./_keep_credits.ts";
import type { Deps } from "../deps/deps.ts";

interface Orphan {
  readonly network: NetworkRow;
  readonly row: TransactionRow;
  readonly cursor: NetworkCursorRow;
}

interface Verdict {
  /** The block that makes it certain. */
  readonly height: number;
  /** No block needs to show it, so its coins decide. */
  readonly byCoins: boolean;
}

/** Undefined: it may still come back, or no node could tell. */
export async function verdictOn(
  deps: Deps,
  { network, row, cursor }: Orphan,
): Promise<Verdict | undefined> {
  const { minConfirmations } = network;
  if (row.status !== "detected") {
    const byCoins = isUnseen(row);
    const height = row.blockNumber + minConfirmations - 1;
    const isDecided = byCoins
      ? isFinal(row.blockNumber, { cursor, network })
      : cursor.scanHeight >= height;
    return isDecided ? { height, byCoins } : undefined;
  }
  const outcome = await outcomeOf(deps, { network, row, cursor });
  if (outcome === undefined || outcome.kind === "unseen") return undefined;
  const { kind, height } = outcome;
  if (kind === "replaced") return { height, byCoins: false };
  if (kind === "expired") {
    const ours = await deps.db.find(NetworkBlocks, [network.code, height]);
    return ours?.hash === outcome.blockHash ? { height, byCoins: false } : undefined;
  }
  // It was mined again, but the block as we read it doesn't move the money.
  return isFinal(height, { cursor, network }) ? { height, byCoins: isUnseen(row) } : undefined;
}

/** A node that can't answer about one deposit must not delay the others. */
async function outcomeOf(
  deps: Deps,
  { network, row, cursor: { finalizedHeight: finalHeight } }: Orphan,
): Promise<Outcome | undefined> {
  try {
    return await deps.chains.of(network).outcome(
      { txHash: row.txHash, sender: row.sender, nonce: row.senderNonce },
      { depth: network.minConfirmations, finalHeight },
    );
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, tx_hash: row.txHash, error: error.message };
    deps.log.debug("it is not known whether a deposit is still there", fields);
    return undefined;
  }
}
