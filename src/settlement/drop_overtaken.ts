import { first, zip } from "../base/lists.ts";
import { endLive, loadClaims } from "../books/claims.ts";
import { isFinal } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import { eachGenuine } from "../books/tampered.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { openTransactions, withPayments } from "../transfers/reads/transfers.ts";
import { alertStuck } from "../transfers/stuck.ts";
import {
  type Signed,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";
import { areRecorded, checkWhole, loadOwners } from "./_owners.ts";
import { releaseOwner } from "./_settle_owners.ts";

/** What pays the going price is mined sooner. */
const UNMINED_FOR_MS = 180_000;
/** No honest node is behind for so long. */
const DOUBT_AFTER_MS = 1_800_000;
const PLACES_AT_ONCE_MAX = 100;

/**
 * An authorization uses up a nonce of its address in a transaction of another sender, which no block
 * that we read shows. What the address had signed for that nonce can never be mined any more: it is
 * given up, and its sweep signed anew. What most nodes count counts, if none has any of it in a block.
 */
export async function dropOvertaken(deps: Deps, network: NetworkRow): Promise<number> {
  const chain = deps.chains.of(network);
  if (!familyOf(network.family).hasNonces || !chain.nextNonces) return 0;
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  const waiting = await unminedOfDeposits(deps, network);
  const nonces = await chain.nextNonces(waiting.map((bids) => first(bids).sender));
  const { overtakenAt } = deps.memory;
  let dropped = 0;
  for (const [bids, { lowest, highest, byMost }] of zip(waiting, nonces)) {
    const { id, place } = first(bids);
    if (lowest <= place && highest > place) await alertDoubt(deps, first(bids));
    const height = byMost > place ? await replacedAt(deps, { network, bids }) : undefined;
    if (height === undefined) {
      overtakenAt.delete(id);
      continue;
    }
    const seenAt = overtakenAt.get(id) ?? height;
    overtakenAt.set(id, seenAt);
    if (!isFinal(seenAt, { cursor, network })) continue;
    const [isDropped] = await eachGenuine(
      [bids],
      (it) => drop(deps, { network, bids: it, seenAt }),
    );
    if (!isDropped) continue;
    overtakenAt.delete(id);
    dropped++;
  }
  return dropped;
}

async function alertDoubt(deps: Deps, tx: SignedTransactionRow): Promise<void> {
  if (deps.clock.nowMs() - tx.createdAtMs < DOUBT_AFTER_MS) return;
  const why = "the nodes disagree whether its nonce is used, so one of them is behind or wrong";
  await alertStuck(deps, { tx, why });
}

type Bids = readonly SignedTransactionRow[];

/** By place, all that deposit addresses have signed for it, if none of that is in a block. */
async function unminedOfDeposits(deps: Deps, { code }: NetworkRow): Promise<Bids[]> {
  const open = await openTransactions(deps.db, code);
  const nowMs = deps.clock.nowMs();
  const places = Map.groupBy(open, ({ sender, place }) => `${sender}/${place}`);
  const unmined = [...places.values()].filter((bids) =>
    bids.every(({ blockHash, createdAtMs }) =>
      blockHash === null && nowMs - createdAtMs >= UNMINED_FOR_MS
    )
  );
  if (unmined.length === 0) return [];
  const addresses = unmined.map((bids) => first(bids).sender);
  const owned = await ownedAddresses(deps.db, { network: code, addresses });
  const deposits = new Set(
    owned.filter(({ purpose }) => purpose === "deposit").map(({ address }) => address),
  );
  return unmined.filter((bids) => deposits.has(first(bids).sender))
    .toSorted((a, b) => first(a).createdAtMs - first(b).createdAtMs)
    .slice(0, PLACES_AT_ONCE_MAX);
}

/** Where the nonce was used, if no endpoint knows any of these transactions. */
async function replacedAt(
  deps: Deps,
  { network, bids }: { network: NetworkRow; bids: Bids },
): Promise<number | undefined> {
  const chain = deps.chains.of(network);
  const depth = network.minConfirmations;
  try {
    const outcomes = await Promise.all(
      bids.map(({ txHash, sender, place: nonce }) =>
        chain.outcome({ txHash, sender, nonce }, { depth, asksAll: true })
      ),
    );
    const heights = outcomes.flatMap((it) => it.kind === "replaced" ? [it.height] : []);
    return heights.length === bids.length ? Math.max(...heights) : undefined;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, sender: first(bids).sender, error: error.message };
    deps.log.debug("it is not known what used a nonce", fields);
    return undefined;
  }
}

interface Drop {
  readonly network: NetworkRow;
  readonly bids: Bids;
  /** We have read that far without finding any of them. */
  readonly seenAt: number;
}

async function drop(deps: Deps, { network, bids, seenAt }: Drop): Promise<boolean> {
  const signed = await withPayments(deps.db, bids);
  const [owners, claimed] = await Promise.all([
    loadOwners(deps, { network, bids: signed }),
    loadClaims(deps.db, bids),
  ]);
  const nowMs = deps.clock.nowMs();
  const isDropped = await deps.db.write({
    reads: [
      read(NetworkCursors, [network.code]),
      ...readAll(SignedTransactions, bids.map(({ id }) => [id])),
      ...claimed.reads,
      ...owners.reads,
    ],
    decide: (view) => {
      const cursor = view.get(NetworkCursors, [network.code]);
      const now = signed.map(({ tx, payments }): Signed => ({
        tx: view.get(SignedTransactions, [tx.id]),
        payments: payments.map(({ id }) => view.get(SignedPayments, [id])),
      }));
      const isOpen = now.every(({ tx: { state, blockHash } }) =>
        state === "open" && blockHash === null
      );
      if (!isOpen || !isFinal(seenAt, { cursor, network }) || !areRecorded(view, owners)) {
        return false;
      }
      for (const bid of now) {
        checkWhole(bid);
        endLive(view, { tx: bid.tx, claimed, patch: { state: "superseded" } });
      }
      // All bids for a place are for the same orders.
      for (const payment of first(now).payments) releaseOwner(view, { payment, owners, nowMs });
      return true;
    },
  });
  const { sender, place: nonce } = first(bids);
  const fields = { network: network.code, sender, nonce, is_given_up: isDropped };
  deps.log.warn("something else has used a transaction's nonce", fields);
  return isDropped;
}
