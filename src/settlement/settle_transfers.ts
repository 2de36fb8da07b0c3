import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { OperatorError } from "../domain/refusal.ts";
import { transfersForGood } from "../following/final_view.ts";
import type { NetworkRow } from "../networks/table.ts";
import { bookSpend } from "./book_spend.ts";
import { bidClaim, sameOrder } from "./claim_spend.ts";
import { isOpenBid, lookAtSpend } from "./found_spend.ts";
import { letSign } from "./let_sign.ts";
import { isDeep, settleTransfer } from "./settle_transfer.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { bidsFor, openTransfersOfNetwork } from "../transfers/reads/transfers.ts";
import { sendTransfer } from "../transfers/send.ts";
import type { SignedTransferRow } from "../transfers/table.ts";

const ACTOR = "worker";

/** Between two attempts to send the same bytes. */
const RESEND_AFTER_MS = 10_000;
const RESENDS_PER_WALLET_MAX = 16;

/** Follows every signed transfer to its end: mined for good, or its nonce used by another. */
export async function settleTransfers(deps: Deps, network: NetworkRow): Promise<number> {
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const open = await openTransfersOfNetwork(deps.db, network.code);
  const deep = open.filter((row) => isDeep(row, { cursor, network }));
  const { scanHeight } = cursor;
  const settled = await transfersForGood(deps, { network, rows: deep, scanHeight });
  await eachGenuine(
    settled,
    (row) =>
      row.purpose === "foreign"
        ? settleStranger(deps, { network, row })
        : settleTransfer(deps, { network, row }),
  );
  const nowMs = deps.clock.nowMs();
  const rows = toSendAgain(inSendingOrder(open, network), nowMs);
  await resend(deps, { network, rows });
  return settled.length;
}

/** With nonces, order is fixed; without them, whatever was sent longest ago comes first. */
function inSendingOrder(
  open: readonly SignedTransferRow[],
  network: NetworkRow,
): readonly SignedTransferRow[] {
  if (lifetimeOf(network) === null) return open;
  return open.toSorted((a, b) => (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0));
}

/**
 * The newest bytes of the first nonces of each wallet. Those in a block may leave it again while
 * this network is read.
 */
function toSendAgain(
  open: readonly SignedTransferRow[],
  nowMs: number,
): SignedTransferRow[] {
  const perWallet = new Map<string, number>();
  return open.filter((row) => {
    if (row.liveNonce === null || row.blockHash !== null) return false;
    const count = perWallet.get(row.sender) ?? 0;
    perWallet.set(row.sender, count + 1);
    const restedMs = nowMs - (row.sentAtMs ?? row.createdAtMs);
    // Also send if the clock was set back.
    return count < RESENDS_PER_WALLET_MAX && (restedMs >= RESEND_AFTER_MS || restedMs < 0);
  });
}

async function resend(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly SignedTransferRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  const chain = deps.chains.of(network);
  for (const one of rows) {
    await eachGenuine([one], async (transfer) => {
      const result = await sendTransfer(deps, { chain, transfer });
      const fields = { network: network.code, tx_hash: transfer.txHash, result };
      deps.log.info("transfer sent again", fields);
    });
  }
}

/**
 * A foreign transaction won a nonce that we had signed something for. If it pays exactly what ours
 * would have, it is a bid of ours that these restored books don't know: calling the payment dropped
 * would pay it twice. Nothing is settled until a node shows what it was.
 */
async function settleStranger(
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
