import { present } from "../base/assert.ts";
import {
  checkClaims,
  type Claimed,
  endLive,
  insertClaims,
  loadClaims,
  makeLive,
} from "../books/claims.ts";
import { zip } from "../base/lists.ts";
import { recordAudit } from "../books/records.ts";
import { checkNotStopped, stopRead } from "../books/stopped.ts";
import { SIGNED } from "../books/trail.ts";
import type { Chain, WalletState } from "../chains/chain.ts";
import type { Claim } from "../chains/family.ts";
import { familyOf } from "../chains/registry.ts";
import type { SignedTransfer } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, UniqueConflict, type View } from "../store/engine/workspace.ts";
import { noteChange, outputReads } from "../outputs/record.ts";
import { askedBy, type Authority, type NewPayment, type Spend } from "./authorise.ts";
import { checkNotHalted } from "./check_halted.ts";
import { withPayments } from "./reads/transfers.ts";
import { gasClaim } from "./rules/claims.ts";
import type { Signer } from "./rules/signer.ts";
import {
  Claims,
  type Signed,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "./table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

/** Somebody else has already moved its owner on, so nothing is saved. */
export class AlreadyMoved extends Error {
  override name = "AlreadyMoved";
}

export interface SigningOrder extends Spend {
  readonly chain: Chain;
  /** By address: the keys of those whose authorizations it carries. */
  readonly authorizers?: ReadonlyMap<string, Signer>;
  /** What was read of the wallet with the order; counts only while nothing else of it is under way. */
  readonly state?: WalletState;
  /** A gap to fill; otherwise the next free place. */
  readonly place?: number;
  /** What the bytes that it outbids claim, and nothing can use any more. */
  readonly releases?: readonly string[];
  /** The rows that `claim` needs. */
  readonly reads?: readonly Read[];
  /** Runs in the unit that saves the bytes; if it throws, nothing is saved. */
  claim?(view: View, signed: Signed): void;
}

interface Saving extends SigningOrder {
  readonly authority: Authority;
  readonly signed: SignedTransfer;
  /** All earlier bids for its claims. */
  readonly rivals: readonly SignedTransactionRow[];
  readonly height: number;
}

interface Known extends Saving {
  readonly claims: readonly Claim[];
  /** Of these, what another place wouldn't help: whoever holds one does the same already. */
  readonly fixed: readonly Claim[];
  /** The same bytes, signed and given up before. */
  readonly earlier: Signed | undefined;
  /** Of the bid that it replaces, or of those bytes. */
  readonly claimed: Claimed;
}

/** Its claims are ours only if nobody else wrote since: then nothing is saved, and nothing sent. */
export async function saveSigned(deps: Deps, order: Saving): Promise<Signed> {
  const saving = await known(deps, order);
  const { network, signed, outbids, rivals, claims, earlier, authority, reads = [] } = saving;
  const { change = [] } = signed;
  return await deps.db.write({
    reads: [
      stopRead(),
      read(NetworkCursors, [network.code]),
      ...claims.map(({ claim }) => read(Claims, [network.code, claim], "live")),
      read(SignedTransactions, [network.code, signed.txHash], "hash"),
      ...readAll(SignedTransactions, rivals.map(({ id }) => [id])),
      ...readAll(SignedPayments, (earlier?.payments ?? []).map(({ id }) => [id])),
      ...readAll(SignedPayments, (outbids?.payments ?? []).map(({ id }) => [id])),
      ...saving.claimed.reads,
      ...outputReads(network.code, change),
      ...authority.reads,
      ...reads,
    ],
    decide: (view) => {
      checkNotStopped(view);
      checkNetwork(view, network);
      if (!isOfWhatIsUnderWay(saving)) checkNotHalted(view.get(Addresses, [saving.wallet.id]));
      checkClaims(view, saving.claimed);
      if (outbids) replaceNewest(view, { ...saving, newest: outbids });
      const isHeld = ({ claim }: Claim) => view.find(Claims, [network.code, claim], "live");
      if (saving.fixed.some(isHeld)) throw new AlreadyMoved("Another one does the same");
      authority.check(view);
      const nowMs = deps.clock.nowMs();
      const saved = insertSigned(view, { ...saving, nowMs });
      noteChange(view, { network: network.code, made: change });
      noteSigned(view, { saved, nowMs });
      saving.claim?.(view, saved);
      return saved;
    },
  });
}

async function known(deps: Deps, saving: Saving): Promise<Known> {
  const { network, wallet, signed, outbids, releases = [] } = saving;
  const same = await deps.db.find(SignedTransactions, [network.code, signed.txHash], "hash");
  const [earlier] = same ? await withPayments(deps.db, [same]) : [];
  const claimed = await loadClaims(deps.db, [outbids?.tx, same].filter((tx) => tx !== undefined));
  const inherited = claimed.rows.filter(({ signedId, claim }) =>
    signedId === outbids?.tx.id && !releases.includes(claim)
  );
  const spend = { sender: wallet.address, nonce: signed.nonce };
  const gas = saving.payments.filter(({ purpose }) => purpose === "gas_topup")
    .map((payment) => gasClaim(askedBy(saving, payment).to));
  const fixed = outbids ? [] : [...gas, ...saving.prepared.claims ?? []];
  const used = signed.claims ?? [];
  const place = familyOf(network.family).claimOf(spend);
  // A bid may take more coins of the same wallet to pay for its price.
  const added = used.filter(({ claim }) => !inherited.some((one) => one.claim === claim));
  const claims = outbids ? [...inherited, ...added] : [place, ...used, ...fixed];
  return { ...saving, earlier, claimed, claims, fixed };
}

/**
 * It replaces or voids what was signed, or takes a place that was left below it. What replaces bytes
 * that are lost may be mined beside whatever else the wallet has signed.
 */
function isOfWhatIsUnderWay({ outbids, releases, place }: SigningOrder): boolean {
  return (outbids !== undefined && !releases) || place !== undefined;
}

/** The books of a halted network may be wrong about deposits, so nothing is paid out. */
function checkNetwork(view: View, { code }: NetworkRow): void {
  const cursor = view.get(NetworkCursors, [code]);
  if (cursor.haltedReason !== null) {
    throw new CannotPay("The network is halted until its operator has looked");
  }
}

/** Any bid may be mined, and the newest has the claims; once one is in a block, none may follow. */
function replaceNewest(
  view: View,
  { newest: { tx: { id: newestId }, payments }, rivals, claimed }: Known & { newest: Signed },
): void {
  const rows = rivals.map(({ id }) => view.get(SignedTransactions, [id]));
  const tx = present(rows.find(({ id }) => id === newestId), "It is one of the bids");
  const isNewest = tx.state === "open" && tx.isLive;
  if (!isNewest || rows.some(({ blockHash }) => blockHash !== null)) throw new AlreadyMoved();
  // Its row was written meanwhile, and the new bid has to have the same.
  const isSame = ({ id, transactionId }: SignedPaymentRow) =>
    view.get(SignedPayments, [id]).transactionId === transactionId;
  if (!payments.every(isSame)) throw new AlreadyMoved();
  endLive(view, { tx, claimed });
}

function insertSigned(view: View, saving: Known & { nowMs: number }): Signed {
  const { network, wallet, prepared, signed, claims, claimed, nowMs } = saving;
  // Signing an abandoned order again produces the same bytes, so it reuses their rows.
  const same = view.find(SignedTransactions, [network.code, signed.txHash], "hash");
  if (same?.state === "abandoned") {
    const payments = saving.earlier?.payments.map(({ id }) => view.get(SignedPayments, [id]));
    if (!payments) throw new UniqueConflict(SignedTransactions.name, "hash");
    const tx = makeLive(view, { tx: same, claimed, patch: { state: "open", sentAtMs: null } });
    const owned = zip(payments, saving.payments)
      .map(([row, payment]) => view.update(SignedPayments, row, ownerOf(payment)));
    return { tx, payments: owned };
  }
  const tx = view.insert(SignedTransactions, {
    network: network.code,
    sender: wallet.address,
    place: signed.nonce,
    isLive: true,
    isForeign: false,
    paymentCount: saving.payments.length,
    txHash: signed.txHash,
    raw: signed.raw,
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
    state: "open",
    blockNumber: 0,
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
    signedAtHeight: saving.height,
    createdAtMs: nowMs,
    sentAtMs: null,
  });
  const payments = saving.payments.map((payment, position) => {
    const { from, to, contract, amountRaw } = askedBy(saving, payment);
    return view.insert(SignedPayments, {
      signedId: tx.id,
      position,
      network: network.code,
      ...ownerOf(payment),
      transactionId: saving.outbids?.payments[position]?.transactionId ?? null,
      fromAddress: from,
      toAddress: to,
      contractAddress: contract,
      amountRaw: amountRaw.toString(),
      isSuccessful: null,
      blockHash: null,
      arrivedRaw: null,
      callsCode: prepared.callsCode ? true : null,
      unsettled: null,
    });
  });
  insertClaims(view, { tx, claims });
  return { tx, payments };
}

function ownerOf({ purpose, withdrawalId = null, sweepId = null }: NewPayment) {
  return { purpose, withdrawalId, sweepId };
}

/** Recorded before any node sees it, so that restoring old rows can't get it signed again. */
function noteSigned(
  view: View,
  { saved: { tx, payments }, nowMs }: { saved: Signed; nowMs: number },
): void {
  for (const { withdrawalId } of payments) {
    if (withdrawalId === null) continue;
    recordAudit(view, {
      actor: "worker",
      action: SIGNED,
      subject: `withdrawal:${withdrawalId}`,
      detail: { tx_hash: tx.txHash },
      nowMs,
    });
  }
}
