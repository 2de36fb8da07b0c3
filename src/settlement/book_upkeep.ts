import { present } from "../base/assert.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { arrivalOf } from "../books/arrival.ts";
import { insertClaims, loadClaims, makeLive } from "../books/claims.ts";
import { recordAudit } from "../books/records.ts";
import { ADOPTED } from "../books/trail.ts";
import { familyOf } from "../chains/registry.ts";
import type { SentBatch } from "../chains/sent_bytes.ts";
import { type CollectorRow, Collectors } from "../collectors/table.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { isCarriedOut } from "../following/record_spends.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import {
  Claims,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import {
  checkBids,
  checkStanding,
  type Claim,
  claimsOfSpend,
  placeOf,
  placesIn,
  recordReceived,
} from "./book_spend.ts";
import type { FoundSpend } from "./found_spend.ts";
import { letSign } from "./let_sign.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

/**
 * The gas wallet deployed a collector, took delegations back or changed its stake, so nobody was
 * paid.
 */
export function isUpkeep({ wallet, spend, sent: { deploys, batch, stake } }: FoundSpend): boolean {
  const isOurs = deploys !== undefined || batch?.orders.length === 0 || stake !== undefined;
  return isOurs && wallet.purpose === "gas" && spend.succeeded;
}

/**
 * The operator took coins out of the gas wallet; the caller knows that from a person, because whoever
 * has the key could do the same.
 */
export async function isGasWithdrawal(
  { db }: Deps,
  { network, wallet, spend, sent: { sender, raw, payment } }: FoundSpend,
): Promise<boolean> {
  const isPaid = payment?.contract === null && payment.amountRaw > 0n && payment.to !== sender;
  if (wallet.purpose !== "gas" || !spend.succeeded || raw === "" || !isPaid) return false;
  return await db.find(Addresses, [network.code, payment.to], "address") === undefined;
}

/** Its orders may have failed, even all of them. */
export function isBatch({ wallet, sent: { batch } }: FoundSpend): boolean {
  if (batch === undefined || batch.orders.length === 0) return false;
  return wallet.purpose === (batch.collector === null ? "deposit" : "gas");
}

/** A hot wallet paid several at once. */
export function arePayouts({ wallet, sent: { batch } }: FoundSpend): boolean {
  const orders = batch?.orders ?? [];
  // What is gathered from several names no output.
  return wallet.purpose === "hot" && orders.length > 1 &&
    orders.every(({ output }) => output !== undefined);
}

export function batchOf({ sent: { batch } }: FoundSpend): SentBatch {
  return present(batch, "It is one");
}

/**
 * As if these books had signed it, with what each order of a batch was for. Undefined: somebody else
 * booked it first.
 */
export async function bookUpkeep(
  deps: Deps,
  { found, orders, actor }: {
    found: FoundSpend;
    /** One for each order; none if it paid nobody. */
    orders: readonly Claim[];
    actor: Actor;
  },
): Promise<Signed | undefined> {
  const { network, tx, bids, sent, spend, received } = found;
  const { code } = network;
  const arePaid = arePayouts(found);
  const claimed = await loadClaims(deps.db, [tx, ...bids.map((bid) => bid.tx)]);
  const claims = claimsOfSpend(found);
  const own = claimed.rows.filter(({ signedId }) => signedId === tx.id);
  const known = new Set(own.map(({ claim }) => claim));
  // Of what it spends, the books may have learnt after they recorded it.
  const more = claims.filter(({ claim }) => !known.has(claim));
  const again = placesIn(found, orders);
  const place = orders.find((order) => order.place !== undefined)?.place ??
    await placeOf(deps, found);
  const isPaidOut = await isGasWithdrawal(deps, found);
  const deployed = sent.deploys === undefined ? undefined : await deployedBy(deps, found);
  const signed = await deps.db.write({
    reads: [
      read(NetworkCursors, [code]),
      read(NetworkBlocks, [code, tx.blockNumber]),
      read(SignedTransactions, [code, tx.txHash], "hash"),
      ...claims.map(({ claim }) => read(Claims, [code, claim], "live")),
      ...readAll(SignedTransactions, bids.map((bid) => [bid.tx.id])),
      ...readAll(SignedPayments, bids.flatMap((bid) => bid.payments).map(({ id }) => [id])),
      ...claimed.reads,
      ...orders.flatMap((order) => order.reads),
      ...deployed ? [read(Collectors, [code, deployed.owner, deployed.build])] : [],
      alertRead("foreign_spend", tx.txHash),
      ...arePaid ? [...received.reads, alertRead("own_funds_moved", tx.txHash)] : [],
    ],
    decide: (view) => {
      const current = view.find(SignedTransactions, [code, tx.txHash], "hash");
      if (!current?.isForeign) return undefined;
      checkStanding(view, { current, found });
      checkBids(view, { bids, claimed });
      const nowMs = deps.clock.nowMs();
      const stakedRaw = sent.stake?.kind === "stake" ? sent.stake.amountRaw : 0n;
      const paid = arePaid
        ? batchOf(found).orders
        : isPaidOut && sent.payment
        ? [sent.payment]
        : [];
      const paidRaw = paid.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
      const nativeCostMaxRaw = (spend.feeRaw + stakedRaw + paidRaw).toString();
      const unclaimed = view.update(SignedTransactions, current, {
        place,
        isForeign: false,
        raw: sent.raw,
        nativeCostMaxRaw,
        feeRaw: spend.feeRaw.toString(),
        paymentCount: orders.length,
        state: "open",
      });
      const isTaken = claims.some(({ claim }) =>
        view.find(Claims, [code, claim], "live") !== undefined
      );
      const booked = isTaken ? unclaimed : makeLive(view, { tx: unclaimed, claimed });
      insertClaims(view, { tx: booked, claims: more });
      const others = [...noncesIn(found), ...again];
      insertClaims(view, { tx: { ...booked, isLive: false }, claims: others });
      if (deployed) noteCollector(view, { ...deployed, network: code, createdAtMs: nowMs });
      const payments = orders.map((claim, position) =>
        bookOrder(view, { found, tx: booked, claim, position, nowMs })
      );
      if (arePaid) recordReceived(view, { found, tx: booked, payments, nowMs });
      closeAlert(view, { kind: "foreign_spend", subject: tx.txHash, nowMs });
      const subject = `transfer:${tx.id}`;
      const detail = {
        network: code,
        tx_hash: tx.txHash,
        purpose: arePaid
          ? "withdrawal"
          : orders.length > 0
          ? "sweep"
          : isPaidOut
          ? "gas_withdrawal"
          : sent.stake
          ? "stake"
          : "collector",
      };
      recordAudit(view, { actor, action: ADOPTED, subject, detail, nowMs });
      return { tx: booked, payments };
    },
  });
  if (!signed || !spend.uses) return signed;
  // Each of its addresses may once have passed for its sender, as the only one that was known.
  const senders = new Set(signed.payments.map(({ fromAddress }) => fromAddress));
  for (const address of senders) await letSign(deps, { network, address, actor });
  return signed;
}

function bookOrder(
  view: View,
  { found, tx, claim, position, nowMs }: {
    found: FoundSpend;
    tx: SignedTransactionRow;
    claim: Claim;
    position: number;
    nowMs: number;
  },
): SignedPaymentRow {
  const { spend } = found;
  const { from, to, contract, amountRaw } = present(batchOf(found).orders[position], "One each");
  const paid = {
    fromAddress: from,
    toAddress: to,
    contractAddress: contract,
    amountRaw: amountRaw.toString(),
  };
  const owner = claim.owner(view, nowMs);
  const isSuccessful = isCarriedOut({ fromAddress: from, position }, spend);
  const payment = view.insert(SignedPayments, {
    signedId: tx.id,
    position,
    network: tx.network,
    ...paid,
    ...owner,
    isSuccessful,
    blockHash: tx.blockHash,
    arrivedRaw: isSuccessful ? arrivalOf(paid, spend) : null,
    callsCode: null,
    unsettled: null,
  });
  claim.updateOwner(view, { tx, payment, nowMs });
  return view.get(SignedPayments, [payment.id]);
}

/** An authorization uses up a nonce of the address that signed it. */
function noncesIn({ network, sent: { batch } }: FoundSpend) {
  const { claimOf } = familyOf(network.family);
  const authorizations = batch?.authorizations ?? [];
  return authorizations.map(({ address: sender, nonce }) => ({
    ...claimOf({ sender, nonce }),
    isOnce: false,
  }));
}

async function deployedBy(deps: Deps, { network, sent: { sender: owner, nonce } }: FoundSpend) {
  const chain = present(deps.chains.of(network).collector, "It deployed one");
  const { build, withNonce } = await chain.deployedBy(owner);
  return { owner, build, nonce, ...withNonce(nonce) };
}

function noteCollector(view: View, row: CollectorRow): void {
  const known = view.find(Collectors, [row.network, row.owner, row.build]);
  if (!known) view.insertKeyed(Collectors, row);
  // The older one may have failed.
  else if (known.nonce < row.nonce) view.update(Collectors, known, row);
}
