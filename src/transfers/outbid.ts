import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import type { Authority, NewPayment } from "./authorise.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import type { Chain, SignedBefore } from "../chains/chain.ts";
import type { Preflight } from "../chains/transfer.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay, CannotPayYet, refusedBy } from "../domain/cannot_pay.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { unminedOf } from "../outputs/families.ts";
import { signedUnder } from "../outputs/reads.ts";
import { makerOf } from "../outputs/rules/unmined.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { alertStuck } from "./stuck.ts";
import { preflightDrain, preflightTransfer, preflightUpkeep } from "./preflight.ts";
import type { Market } from "./price.ts";
import { bidsFor, claimsOf, newestSpender } from "./reads/claims.ts";
import { withPayments } from "./reads/transfers.ts";
import { refusalOfBid } from "./rules/bids.ts";
import { AlreadyMoved } from "./save_signed.ts";
import { trySending } from "./send.ts";
import { signTransfer } from "./sign.ts";
import {
  type Signed,
  type SignedPaymentRow,
  type SignedTransactionRow,
  SignedTransactions,
} from "./table.ts";
import type { Signer } from "./rules/signer.ts";
import { signersOf } from "../wallets/addresses.ts";
import { familyOf } from "../chains/registry.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { Withdrawals } from "../withdrawals/table.ts";

interface Outbidding {
  readonly network: NetworkRow;
  /** The newest bid for its claims. */
  readonly newest: Signed;
  /** These are cancelled if the new bid is mined: it takes the place, and pays only the others. */
  readonly revokes?: ((payment: SignedPaymentRow) => boolean) | undefined;
  /** Of what it spends, what can never exist any more, and what exists instead. */
  readonly lost?: Pick<SignedBefore, "lost" | "instead" | "isFinal"> | undefined;
  /** That those can't, in the unit that saves the bytes. */
  readonly proof?: Authority | undefined;
  /** An operator wants it regardless of the bids so far. */
  readonly isAnyway?: boolean;
  /** Without waiting for the result of the last bid. */
  readonly isAtOnce?: boolean;
  readonly actor: Actor;
}

/** No more bids are allowed for this place, or not yet. */
export class EnoughBids extends CannotPay {
  override name = "EnoughBids";

  constructor(readonly refusal: ActionRefused) {
    super(refusal.message);
  }
}

/**
 * Signs for the same place again at a higher price. Only one of the bids can be mined, so nothing is
 * paid twice; all are watched, and the mined one counts. One that all nodes refuse is sent again too.
 */
export async function outbidTransfer(
  deps: Deps,
  order: Outbidding,
): Promise<Signed & { readonly refusedBecause: string | null }> {
  const { network, newest: asked, revokes, lost, proof, actor } = order;
  const { isAnyway = false, isAtOnce = false } = order;
  const newest = revokes || lost ? asked : await lastInFamily(deps, { network, newest: asked });
  const { tx } = newest;
  const wallet = await deps.db.get(Addresses, [network.code, tx.sender], "address");
  const chain = deps.chains.of(network);
  const { nonce, nativeRaw: spendableRaw } = await chain.walletState(wallet.address, []);
  // It was mined but not read yet, and the missing money is what it moved.
  if (nonce > tx.place && await isPassed(chain, tx)) throw new AlreadyMoved();
  if (!isAnyway) await checkBids(deps, { network, newest, isAtOnce });
  const bidding = { network, chain, wallet, newest, revokes, lost, isAnyway, spendableRaw };
  const preflight = await preflightOf(deps, bidding);
  if (preflight.kind === "refused") throw refusedBy(preflight);
  const saved = await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: preflight.prepared,
    authorizers: await givers(deps, { network, newest }),
    payments: paymentsAgain(bidding),
    outbids: newest,
    ...lost?.lost ? { releases: lost.lost } : {},
    reads: [...newest.payments.flatMap(ownerReads), ...proof?.reads ?? []],
    claim: (view, bid) => {
      proof?.check(view);
      const nowMs = deps.clock.nowMs();
      followBid(view, { network, bid, replaced: newest, actor, nowMs });
    },
  });
  const sent = await trySending(deps, { chain, tx: saved.tx });
  const { txHash } = saved.tx;
  const fields = { network: network.code, tx_hash: txHash, outbids: tx.txHash, result: sent.kind };
  deps.log.warn("transfer outbid", fields);
  return { ...saved, refusedBecause: sent.kind === "rejected" ? sent.reason : null };
}

/** One node alone keeps nothing from being bid for. */
async function isPassed(chain: Chain, { sender, place }: SignedTransactionRow): Promise<boolean> {
  const [said] = await chain.nextNonces?.([sender]) ?? [];
  return said === undefined || said.byMost > place;
}

/** Whose outputs it gathers: they sign again. In a batch, what they have signed stays in it. */
async function givers(
  deps: Deps,
  { network, newest: { payments } }: { network: NetworkRow; newest: Signed },
): Promise<Map<string, Signer>> {
  if (familyOf(network.family).holdings !== "outputs") return new Map();
  const addresses = [...new Set(payments.map(({ fromAddress }) => fromAddress))];
  const rows = await Promise.all(
    addresses.map((one) => deps.db.get(Addresses, [network.code, one], "address")),
  );
  return await signersOf(deps, { network, rows });
}

/**
 * Where money lies in outputs, who spends what a transaction makes would be thrown out of mempools
 * with it, so the last of them is bid for: it pays for all before it. Only revoking has to replace
 * the transaction itself.
 */
async function lastInFamily(
  deps: Deps,
  { network, newest }: { network: NetworkRow; newest: Signed },
): Promise<Signed> {
  const { db } = deps;
  if (familyOf(network.family).holdings !== "outputs") return newest;
  const { txHash, sender } = newest.tx;
  const families = await unminedOf(deps, { network: network.code, addresses: [sender] });
  const last = await newestSpender(db, newest.tx);
  if (!families.isSound(txHash) || !families.isSound(last.txHash)) {
    throw new CannotPayYet("It spends what is being replaced: its payments wait for that");
  }
  return last.id === newest.tx.id ? newest : first(await withPayments(db, [last]));
}

/** For the same orders; a void is for them too, and pays nobody. */
function paymentsAgain(
  { chain, wallet, newest: { tx, payments }, revokes }: Bidding,
): NewPayment[] {
  const { address } = wallet;
  const nothing = { from: address, to: address, contract: null, amountRaw: 0n };
  // One of what pays nobody says that it deploys or releases nothing.
  if (payments.length === 0) return revokes ? [{ purpose: "void" }] : [];
  return payments.map((row) => {
    const { fromAddress: from, toAddress: to, contractAddress: contract, amountRaw } = row;
    if (row.purpose === "void" || revokes?.(row)) return { ...row, purpose: "void", part: nothing };
    // What it moves may depend on the price.
    const isAsPrepared = row.purpose === "sweep" || !chain.prepareAgain;
    if (from === tx.sender && payments.length === 1 && isAsPrepared) return row;
    return { ...row, part: { from, to, contract, amountRaw: BigInt(amountRaw) } };
  });
}

/** Saving the bytes makes sure that these are all bids, because only the newest can be outbid. */
async function checkBids(
  deps: Deps,
  { network, newest: { tx }, isAtOnce }: {
    network: NetworkRow;
    newest: Signed;
    isAtOnce: boolean;
  },
): Promise<void> {
  const sinceHeight = await newestMinedBefore(deps, { network, tx });
  const bids = (await bidsFor(deps.db, tx)).filter(({ state, isForeign, signedAtHeight }) =>
    state === "open" && !isForeign && signedAtHeight >= sinceHeight
  );
  const refusal = refusalOfBid({
    bids: bids.length,
    newestAtMs: tx.createdAtMs,
    pollIntervalMs: network.pollIntervalMs,
    nowMs: deps.clock.nowMs(),
  });
  if (refusal?.kind === "too_many") {
    const enough = new EnoughBids(refuse("bids_used_up", { bids: refusal.bids }));
    await alertStuck(deps, { tx, why: enough.message });
    throw enough;
  }
  if (refusal?.kind === "too_soon" && !isAtOnce) {
    const seconds = Math.ceil(refusal.inMs / 1000);
    throw new EnoughBids(refuse("bid_too_soon", { seconds }));
  }
}

/**
 * The height at which the last of our transactions that it comes from was mined: until then, its bids
 * paid for those too, and don't count any more. 0 if there is none.
 */
async function newestMinedBefore(
  deps: Deps,
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<number> {
  if (familyOf(network.family).holdings !== "outputs") return 0;
  const outpoints = (await claimsOf(deps.db, [tx.id])).map(({ claim }) => claim);
  const hashes = [...new Set(outpoints.map(makerOf))];
  const makers = await signedUnder(deps.db, { network: network.code, hashes });
  await genuine(deps, SignedTransactions, makers);
  const mined = makers.filter(({ blockHash }) => blockHash !== null);
  return Math.max(0, ...mined.map(({ blockNumber }) => blockNumber));
}

interface Bidding extends Market, Pick<Outbidding, "newest" | "revokes" | "lost" | "isAnyway"> {
  readonly wallet: AddressRow;
  readonly spendableRaw: bigint;
}

/** When emptying an address, a higher price leaves less to move. */
async function preflightOf(deps: Deps, bidding: Bidding): Promise<Preflight> {
  const { network, chain, wallet: { address: from }, newest, spendableRaw } = bidding;
  const { tx: { raw }, payments } = newest;
  const { revokes, lost, isAnyway = false } = bidding;
  const [payment] = payments;
  const bid = { network, chain, outbids: raw };
  const { prepareAgain } = chain;
  if (prepareAgain) {
    const isGathered = payment?.purpose === "sweep";
    const without = payments.filter((row) => row.purpose !== "void" && revokes?.(row))
      .map(({ toAddress: to, amountRaw }) => ({ to, amountRaw: BigInt(amountRaw) }));
    const again = { from, raw, isGathered, isAnyway, without, ...lost };
    return await preflightUpkeep(deps, { ...bid, prepare: (price) => prepareAgain(again, price) });
  }
  if (revokes && payments.every(revokes)) {
    const request = { from, to: from, contract: null, amountRaw: 0n };
    return await preflightTransfer(deps, { ...bid, request });
  }
  // A batch, and what pays nobody, is offered as it is.
  if (!payment || payment.fromAddress !== from) {
    const collector = present(chain.collector, "It collects");
    return await preflightUpkeep(deps, {
      ...bid,
      prepare: (price) => collector.prepareAgain({ from, raw }, price),
    });
  }
  const { toAddress: to, contractAddress: contract, amountRaw, purpose } = payment;
  if (purpose !== "sweep" || contract !== null) {
    const asToNewHolder = purpose === "withdrawal";
    const request = { from, to, contract, amountRaw: BigInt(amountRaw), asToNewHolder };
    return await preflightTransfer(deps, { ...bid, request });
  }
  const amountMaxRaw = BigInt(amountRaw);
  return await preflightDrain(deps, { ...bid, request: { from, to, amountMaxRaw, spendableRaw } });
}

function ownerReads({ withdrawalId, transactionId }: SignedPaymentRow): Read[] {
  return [
    ...withdrawalId === null ? [] : [read(Withdrawals, [withdrawalId])],
    ...transactionId === null ? [] : [read(Transactions, [transactionId])],
  ];
}

/** The newest bid is shown until another one is mined. */
function followBid(
  view: View,
  { network, bid, replaced, actor, nowMs }: {
    network: NetworkRow;
    bid: Signed;
    replaced: Signed;
    actor: Actor;
    nowMs: number;
  },
): void {
  const { tx, payments } = bid;
  const revoked = payments.filter(({ purpose }, i) =>
    purpose === "void" && replaced.payments[i]?.purpose !== "void"
  );
  const about = revoked.length > 0 ? revoked : payments;
  const ids = about.flatMap(({ withdrawalId }) => withdrawalId ?? []);
  const subjects = ids.length > 0 ? ids.map((id) => `withdrawal:${id}`) : [`transfer:${tx.id}`];
  const isVoid = about.length > 0 && about.every(({ purpose }) => purpose === "void");
  const action = isVoid ? "transfer.voided" : "transfer.outbid";
  const { sender, place: nonce, txHash } = tx;
  const detail = { network: tx.network, sender, nonce, tx_hash: txHash };
  for (const subject of subjects) recordAudit(view, { actor, action, subject, detail, nowMs });
  for (const payment of payments) {
    if (payment.purpose === "void") continue;
    const { transactionId, withdrawalId } = payment;
    const isShared = bid.payments.length > 1;
    const row = transactionId === null ? undefined : rowShown(view, { transactionId, isShared });
    if (row) view.update(Transactions, row, bidColumns({ tx, payment }, network));
    const withdrawal = withdrawalId === null ? undefined : view.find(Withdrawals, [withdrawalId]);
    if (withdrawal) view.update(Withdrawals, withdrawal, { txHash, transferId: tx.id });
  }
}

/** In a batch, one that somebody changed is shown as it is: others don't wait for that. */
function rowShown(
  view: View,
  { transactionId, isShared }: { transactionId: number; isShared: boolean },
): TransactionRow | undefined {
  const row = view.raw.find(Transactions, [transactionId]);
  if (row && isShared && !view.isGenuine(Transactions, row)) return undefined;
  return view.find(Transactions, [transactionId]);
}
