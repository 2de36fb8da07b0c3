import { first } from "../base/lists.ts";
import { cursorOf } from "../books/find.ts";
import { isStopped, NotSignedYet } from "../books/stopped.ts";
import { eachGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { NetworkRow } from "../networks/table.ts";
import { madeFrom, rivalsOf, unminedOf } from "../outputs/families.ts";
import { outbidTransfer } from "./outbid.ts";
import { outpointOf } from "../domain/outpoint.ts";
import { openTransactions, settledPaymentOfWithdrawal, withPayments } from "./reads/transfers.ts";
import { AlreadyMoved } from "./save_signed.ts";
import { alertStuck } from "./stuck.ts";
import type { Signed, SignedPaymentRow } from "./table.ts";
import { proofOf, type UndoneCoin, undoneCoinsOf } from "./undone_coins.ts";
import { Withdrawals } from "../withdrawals/table.ts";

/**
 * What spent an output of a transaction that lost its place for good can never be mined, nor what
 * spent a coin that a reorganisation undid and that can't come again: its
 * payments are signed again, in the place that they have. Until then they wait, because the other
 * one might have been mined. What is signed spends what was made instead, so that even a
 * reorganisation can't have both mined.
 */
export async function signLostAgain(deps: Deps, network: NetworkRow): Promise<number> {
  if (familyOf(network.family).holdings !== "outputs" || await isStopped(deps)) return 0;
  const open = await openTransactions(deps.db, network.code);
  const waiting = open.filter(({ isLive, blockHash }) => isLive && blockHash === null);
  const cursor = await cursorOf(deps, network);
  const undone = await undoneCoinsOf(deps, { cursor, signed: waiting });
  const wallets = [...Map.groupBy(waiting, ({ sender }) => sender)];
  const signed = await eachGenuine(wallets, async ([sender, rows]) => {
    const families = await unminedOf(deps, { network: network.code, addresses: [sender] });
    let count = 0;
    // What spends what another one makes comes after it.
    for (const tx of rows) {
      const lost = families.lostOf(tx.txHash);
      const gone = (undone.get(tx.id) ?? []).filter(({ rival }) => rival !== undefined);
      if (lost.length === 0 && gone.length === 0) continue;
      const newest = first(await withPayments(deps.db, [tx]));
      const order = { network, newest, lost, gone };
      const [isSigned] = await eachGenuine([order], (one) => signAgain(deps, one));
      if (isSigned) count++;
    }
    return count;
  });
  return signed.reduce<number>((sum, count = 0) => sum + count, 0);
}

/**
 * What was paid otherwise meanwhile, or given back. One that had been confirmed by what is lost now
 * is owed still.
 */
async function endedAmong({ db }: Deps, { payments }: Signed): Promise<number[]> {
  const found = await Promise.all(payments.map(async ({ id, withdrawalId, purpose }) => {
    if (withdrawalId === null || purpose === "void") return [];
    const { status } = await db.get(Withdrawals, [withdrawalId]);
    const isEnded = status === "failed" || status === "cancelled" ||
      status === "confirmed" && await settledPaymentOfWithdrawal(db, withdrawalId) !== undefined;
    return isEnded ? [id] : [];
  }));
  return found.flat();
}

async function signAgain(
  deps: Deps,
  { network, newest, lost, gone }: {
    network: NetworkRow;
    newest: Signed;
    /** What was to come from own transactions. */
    lost: readonly string[];
    gone: readonly UndoneCoin[];
  },
): Promise<boolean> {
  const { code } = network;
  const { hashes, settledAt } = await rivalsOf(deps, { network: code, outpoints: lost });
  const { finalizedHeight } = await cursorOf(deps, network);
  // What others paid is gone only once that can't be undone.
  const isFinal = lost.length === 0 ||
    settledAt !== null && settledAt <= (finalizedHeight ?? -1);
  const instead = isFinal ? [] : await madeFrom(deps, { network: code, hashes });
  const ended = await endedAmong(deps, newest);
  const revokes = ended.length === 0
    ? undefined
    : (row: SignedPaymentRow) => ended.includes(row.id);
  const all = [...lost, ...gone.map(({ output }) => outpointOf(output))];
  const bid = {
    ...{ lost: { lost: all, instead, isFinal }, proof: proofOf(gone, code) },
    ...{ revokes, isAnyway: true, actor: "worker" },
  };
  try {
    await outbidTransfer(deps, { network, newest, ...bid });
    return true;
  } catch (error) {
    const isLater = error instanceof AlreadyMoved || error instanceof NotSignedYet ||
      error instanceof NodeError;
    if (isLater) return false;
    if (!(error instanceof CannotPay)) throw error;
    await alertStuck(deps, { tx: newest.tx, why: error.message });
    return false;
  }
}
