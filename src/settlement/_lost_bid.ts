import { NodeError } from "../chains/faults.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { bidsFor } from "../transfers/reads/transfers.ts";
import { bookSpend } from "./book_spend.ts";
import { bidClaim, sameOrder } from "./claim_spend.ts";
import { isOpenBid, lookAtSpend } from "./found_spend.ts";
import { letSign } from "./let_sign.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { settleTransfer } from "./settle_transfer.ts";
import type { Deps } from "../deps/deps.ts";

const ACTOR = "worker";

/**
 * A foreign transaction won a nonce that we had signed something for. If it pays exactly what ours
 * would have, it is a bid of ours that these restored books don't know: calling the payment dropped
 * would pay it twice. Nothing is settled until a node shows what it was.
 */
export async function settleStranger(
  deps: Deps,
  { network, row }: { network: NetworkRow; row: SignedTransferRow },
): Promise<void> {
  const isContested = lifetimeOf(network) === null &&
    (await bidsFor(deps.db, row)).some(isOpenBid);
  if (!isContested) return await settleTransfer(deps, { network, row });
  try {
    const found = await lookAtSpend(deps, { network, row });
    const bid = sameOrder(found);
    if (!bid) return await settleTransfer(deps, { network, row });
    const booked = await bookSpend(deps, { found, claim: bidClaim(found, bid), actor: ACTOR });
    if (!booked) return;
    deps.log.warn("a bid of ours that the books did not know", { tx_hash: row.txHash });
    await settleTransfer(deps, { network, row: booked });
    await letSign(deps, { network, address: row.sender, actor: ACTOR });
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof OperatorError)) throw error;
    const fields = { network: network.code, tx_hash: row.txHash, error: error.message };
    deps.log.warn("who signed a transaction is not known yet", fields);
  }
}
