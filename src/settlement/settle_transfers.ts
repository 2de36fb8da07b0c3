import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { OperatorError } from "../domain/refusal.ts";
import { signedForGood } from "../following/final_view.ts";
import { readAgain } from "../following/read_again.ts";
import type { NetworkRow } from "../networks/table.ts";
import { bookSpend } from "./book_spend.ts";
import { bookUpkeep } from "./book_upkeep.ts";
import { bidClaim, sameBatch, sameOrder } from "./claim_spend.ts";
import { isOpenBid, lookAtSpend } from "./found_spend.ts";
import { letSign } from "./let_sign.ts";
import { movedNothing } from "./moved_nothing.ts";
import { isDeep, settleTransfer } from "./settle_transfer.ts";
import { settleUnsettled } from "./settle_unsettled.ts";
import { familyOf } from "../chains/registry.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { openTransactions, withPayments } from "../transfers/reads/transfers.ts";
import { sendTransfer } from "../transfers/send.ts";
import type { Signed, SignedTransactionRow } from "../transfers/table.ts";

const ACTOR = "worker";
const UNKNOWN_BID = "a bid of ours that the books did not know";

/** Between two attempts to send the same bytes. */
const RESEND_AFTER_MS = 10_000;
const RESENDS_PER_WALLET_MAX = 16;

/** Follows all that was signed to its end: mined for good, or its claims used by another. */
export async function settleTransfers(deps: Deps, network: NetworkRow): Promise<number> {
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const open = await openTransactions(deps.db, network.code);
  const deep = open.filter((row) => isDeep(row, { cursor, network }));
  const { scanHeight } = cursor;
  const mined = await withPayments(deps.db, deep);
  const settled = await signedForGood(deps, { network, rows: mined, scanHeight });
  const isSettled = new Set(settled);
  const contradicted = mined.filter((signed) => !isSettled.has(signed)).map(({ tx }) => tx);
  await readAgain(deps, { network, contradicted });
  await eachGenuine(
    settled,
    (signed) =>
      signed.tx.isForeign
        ? settleStranger(deps, { network, tx: signed.tx })
        : settleOwn(deps, { network, signed }),
  );
  await settleUnsettled(deps, network);
  const nowMs = deps.clock.nowMs();
  const rows = toSendAgain(inSendingOrder(open, network), nowMs);
  await resend(deps, { network, rows });
  return settled.length;
}

/** What was just booked from a final block. What the nodes don't agree on waits for the next look. */
export async function settleBooked(
  deps: Deps,
  { network, signed }: { network: NetworkRow; signed: Signed },
): Promise<void> {
  const { scanHeight } = await cursorOf(deps, network);
  const settled = await signedForGood(deps, { network, rows: [signed], scanHeight });
  for (const one of settled) await settleOwn(deps, { network, signed: one });
}

/** What no node could say about a batch is asked again with the next block. */
async function settleOwn(
  deps: Deps,
  { network, signed }: { network: NetworkRow; signed: Signed },
): Promise<void> {
  const { tx } = signed;
  try {
    const emptyIds = await movedNothing(deps, { network, signed });
    await settleTransfer(deps, { network, tx, emptyIds });
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, tx_hash: tx.txHash, error: error.message };
    deps.log.warn("a batch is not judged yet", fields);
  }
}

function isOfOutputs({ family }: NetworkRow): boolean {
  return familyOf(family).holdings === "outputs";
}

/** Of numbered ones the order is fixed; of others, whatever was sent longest ago comes first. */
function inSendingOrder(
  open: readonly SignedTransactionRow[],
  network: NetworkRow,
): readonly SignedTransactionRow[] {
  if (familyOf(network.family).hasNonces) return open;
  return open.toSorted((a, b) => (a.sentAtMs ?? 0) - (b.sentAtMs ?? 0));
}

/**
 * The newest bytes of the first places of each wallet. Those in a block may leave it again while
 * this network is read.
 */
function toSendAgain(
  open: readonly SignedTransactionRow[],
  nowMs: number,
): SignedTransactionRow[] {
  const perWallet = new Map<string, number>();
  return open.filter((row) => {
    if (!row.isLive || row.blockHash !== null) return false;
    const count = perWallet.get(row.sender) ?? 0;
    perWallet.set(row.sender, count + 1);
    const restedMs = nowMs - (row.sentAtMs ?? row.createdAtMs);
    // Also send if the clock was set back.
    return count < RESENDS_PER_WALLET_MAX && (restedMs >= RESEND_AFTER_MS || restedMs < 0);
  });
}

async function resend(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly SignedTransactionRow[] },
): Promise<void> {
  if (rows.length === 0) return;
  const chain = deps.chains.of(network);
  for (const one of rows) {
    await eachGenuine([one], async (tx) => {
      const result = await sendTransfer(deps, { chain, tx });
      const fields = { network: network.code, tx_hash: tx.txHash, result };
      deps.log.info("transfer sent again", fields);
    });
  }
}

/**
 * A foreign transaction won what we had claimed for something. If it pays exactly what ours
 * would have, it is a bid of ours that these restored books don't know: calling the payment dropped
 * would pay it twice. Nothing is settled until a node shows what it was.
 */
async function settleStranger(
  deps: Deps,
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<void> {
  const isContested = (await bidsFor(deps.db, tx)).some(isOpenBid);
  if (!isContested) return await settleTransfer(deps, { network, tx });
  try {
    const found = await lookAtSpend(deps, { network, tx });
    const orders = sameBatch(found);
    if (orders) {
      const signed = await bookUpkeep(deps, { found, orders, actor: ACTOR });
      if (!signed) return;
      deps.log.warn(UNKNOWN_BID, { tx_hash: tx.txHash });
      return await settleBooked(deps, { network, signed });
    }
    const bid = sameOrder(found);
    if (!bid) {
      // What pays several at once, or gathers from several, may have been for just these: a person
      // decides.
      const { payment, batch } = found.sent;
      if (isOfOutputs(network) && (payment === null || batch !== undefined)) return;
      return await settleTransfer(deps, { network, tx });
    }
    const booked = await bookSpend(deps, { found, claim: bidClaim(found, bid), actor: ACTOR });
    if (!booked) return;
    deps.log.warn(UNKNOWN_BID, { tx_hash: tx.txHash });
    await settleTransfer(deps, { network, tx: booked });
    await letSign(deps, { network, address: tx.sender, actor: ACTOR });
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof OperatorError)) throw error;
    const fields = { network: network.code, tx_hash: tx.txHash, error: error.message };
    deps.log.warn("who signed a transaction is not known yet", fields);
  }
}
