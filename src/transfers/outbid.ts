import { present } from "../base/assert.ts";
import type { NewPayment } from "./authorise.ts";
import { recordAudit } from "../books/records.ts";
import { bidColumns } from "../books/transaction_rows.ts";
import type { Preflight } from "../chains/transfer.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import { alertStuck } from "./stuck.ts";
import { preflightDrain, preflightTransfer, preflightUpkeep } from "./preflight.ts";
import type { Market } from "./price.ts";
import { bidsFor } from "./reads/claims.ts";
import { refusalOfBid } from "./rules/bids.ts";
import { AlreadyMoved } from "./save_signed.ts";
import { sendTransfer } from "./send.ts";
import { signTransfer } from "./sign.ts";
import type { Signed, SignedPaymentRow } from "./table.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { Withdrawals } from "../withdrawals/table.ts";

interface Outbidding {
  readonly network: NetworkRow;
  /** The newest bid for its claims. */
  readonly newest: Signed;
  /** The new bid moves nothing: if mined, it takes the place and cancels the payment. */
  readonly isVoid?: boolean;
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
 * paid twice; all are watched, and the mined one counts.
 */
export async function outbidTransfer(
  deps: Deps,
  { network, newest, isVoid = false, isAnyway = false, isAtOnce = false, actor }: Outbidding,
): Promise<Signed> {
  const { tx } = newest;
  const wallet = await deps.db.get(Addresses, [network.code, tx.sender], "address");
  const chain = deps.chains.of(network);
  const { nonce, nativeRaw: spendableRaw } = await chain.walletState(wallet.address, []);
  // It was mined but not read yet, and the missing money is what it moved.
  if (nonce > tx.place) throw new AlreadyMoved();
  if (!isAnyway) await checkBids(deps, { network, newest, isAtOnce });
  const [payment] = newest.payments;
  const bidding = { network, chain, wallet, raw: tx.raw, payment, isVoid, spendableRaw };
  const preflight = await preflightOf(deps, bidding);
  if (preflight.kind === "refused") throw refusedBy(preflight);
  const saved = await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: preflight.prepared,
    payments: paymentsAgain({ newest, isVoid }),
    outbids: newest,
    reads: newest.payments.flatMap(ownerReads),
    claim: (view, bid) => followBid(view, { network, bid, actor, nowMs: deps.clock.nowMs() }),
  });
  const result = await sendTransfer(deps, { chain, tx: saved.tx });
  const { txHash } = saved.tx;
  const fields = { network: network.code, tx_hash: txHash, outbids: tx.txHash, result };
  deps.log.warn("transfer outbid", fields);
  return saved;
}

/**
 * For the same orders; a void is for them too, and pays nobody. One of what pays nobody says that
 * it deploys or releases nothing.
 */
function paymentsAgain(
  { newest: { tx, payments }, isVoid }: { newest: Signed; isVoid: boolean },
): NewPayment[] {
  if (isVoid && payments.length === 0) return [{ purpose: "void" }];
  return payments.map((row) => {
    const { fromAddress: from, toAddress: to, contractAddress: contract, amountRaw } = row;
    if (isVoid) return { ...row, purpose: "void" };
    if (from === tx.sender) return row;
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
  const bids = (await bidsFor(deps.db, tx)).filter(({ state, isForeign }) =>
    state === "open" && !isForeign
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

interface Bidding extends Market {
  readonly wallet: AddressRow;
  /** The bytes to outbid, and what they pay. */
  readonly raw: string;
  readonly payment: SignedPaymentRow | undefined;
  readonly isVoid: boolean;
  readonly spendableRaw: bigint;
}

/** When emptying an address, a higher price leaves less to move. */
async function preflightOf(deps: Deps, bidding: Bidding): Promise<Preflight> {
  const { network, chain, wallet: { address: from }, raw, payment, isVoid, spendableRaw } = bidding;
  const bid = { network, chain, outbids: raw };
  if (isVoid) {
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
  { network, bid, actor, nowMs }: {
    network: NetworkRow;
    bid: Signed;
    actor: Actor;
    nowMs: number;
  },
): void {
  const { tx } = bid;
  const { withdrawalId = null, purpose } = bid.payments[0] ?? {};
  const subject = withdrawalId === null ? `transfer:${tx.id}` : `withdrawal:${withdrawalId}`;
  const action = purpose === "void" ? "transfer.voided" : "transfer.outbid";
  const { sender, place: nonce, txHash } = tx;
  const detail = { network: tx.network, sender, nonce, tx_hash: txHash };
  recordAudit(view, { actor, action, subject, detail, nowMs });
  if (purpose === "void") return;
  for (const payment of bid.payments) {
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
