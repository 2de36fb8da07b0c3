import { first, zip } from "../../base/lists.ts";
import { present } from "../../base/assert.ts";
import { sleep } from "../../base/clock.ts";
import type { Chain, WalletState } from "../../chains/chain.ts";
import type { PreparedTransfer, SignedTransfer } from "../../chains/transfer.ts";
import type { Signer } from "../../domain/signer.ts";
import { type CurrencyRow, type NetworkRow, Networks } from "../../store/tables/setup.ts";
import { type SignedTransferRow, SignedTransfers } from "../../store/tables/signed_transfers.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { bidsFor } from "../../store/reads/transfers.ts";
import {
  type Read,
  read,
  readAll,
  UniqueConflict,
  type View,
} from "../../store/engine/workspace.ts";
import { signerOf } from "../wallets/addresses.ts";
import { checkFunds, checkGasStays, checkNotDelegated, Commitments } from "../wallets/funds.ts";
import { CannotPay } from "../books/cannot_pay.ts";
import { type Authority, authorityOf, type Spend } from "./authorise.ts";
import { noteSigned } from "./note_signed.ts";
import { genuine, mustBeGenuine } from "../books/tampered.ts";
import { haltOnForeignNonce } from "./_foreign_nonce.ts";
import { checkChainTime, lifetimeOf, type NonceRule, nonceRule, underWay } from "./next_nonce.ts";
import { type CodePayments, codePayments } from "./_code_payments.ts";
import { gasTargetOf } from "./_gas_target.ts";
import { checkCharge } from "./preflight.ts";
import { checkNotStopped, stopRead } from "../books/stopped.ts";
import type { Deps } from "../deps.ts";

/** Somebody else has already moved its owner on, so nothing is saved. */
export class AlreadyMoved extends Error {
  override name = "AlreadyMoved";
}

export interface SigningOrder extends Spend {
  readonly chain: Chain;
  /** A gap to fill; otherwise the next free nonce. */
  readonly nonce?: number;
  /** The rows that `claim` needs. */
  readonly reads?: readonly Read[];
  /** Runs in the unit that saves the bytes; if it throws, nothing is saved. */
  claim?(view: View, transfer: SignedTransferRow): void;
}

/** Several instances may want a wallet's next nonce at once; in the worst case that takes seconds. */
const RACES_MAX = 40;
const RACE_PAUSE_MAX_MS = 150;

interface Job {
  readonly deps: Deps;
  readonly order: SigningOrder;
  readonly authority: Authority;
}

/**
 * Assigns a nonce, signs the transfer and saves the bytes. Concurrent orders for one wallet are
 * signed together from one look at the chain; a unique index keeps other processes out.
 */
export async function signTransfer(deps: Deps, order: SigningOrder): Promise<SignedTransferRow> {
  const authority = await authorityOf(deps, order);
  // If the worker has lost its job, its own transfers fail and the API's don't.
  const queued = { job: { deps, order, authority }, work: signTogether, owner: deps.db };
  const wallet = `${order.network.code}/${order.wallet.address}`;
  for (let race = 1;; race++) {
    try {
      return await deps.memory.signingQueues.run(wallet, queued);
    } catch (error) {
      if (!(error instanceof UniqueConflict)) throw error;
      // Whoever took the nonce fills the gap.
      if (order.nonce !== undefined) throw new AlreadyMoved("The nonce is taken", { cause: error });
      if (race === RACES_MAX) {
        throw new CannotPay("The wallet's next nonce is held by another transfer: try again");
      }
      await sleep(Math.random() * Math.min(RACE_PAUSE_MAX_MS, 10 * race));
    }
  }
}

/** Signs for one wallet. Each order may fail on its own, but if the chain doesn't answer, all fail. */
async function signTogether(
  jobs: readonly Job[],
): Promise<PromiseSettledResult<SignedTransferRow>[]> {
  const { deps, order } = first(jobs);
  const { network, wallet, chain } = order;
  const contracts = jobs.flatMap(({ order: { prepared: { request } } }) => request.contract ?? []);
  const state = await chain.walletState(wallet.address, [...new Set(contracts)]);
  checkChainTime({ network, state, nowMs: deps.clock.nowMs() });
  if (lifetimeOf(network) === null) await haltOnForeignNonce(deps, order, state);
  const prepared = jobs.map((job) => job.order.prepared);
  const catalog = await deps.catalog.current();
  const currencyOf = (contract: string | null) =>
    present(catalog.currencyByContract(network.code, contract), "Currencies stay");
  const signer = signerOf(await deps.keyRing(), network, wallet);
  const signing = { network, wallet, chain, state };
  const [current, unmined, nextFree, toCode] = await Promise.all([
    currentNetwork(deps, network),
    underWay(deps.db, { ...signing, prepared }),
    nonceRule(deps.db, signing),
    codePayments(deps, { wallet, prepared }),
  ]);
  const commitments = new Commitments(unmined);
  const checked = await Promise.allSettled(
    prepared.map(({ charge }) => checkCharge(deps, { network: current, chain, charge })),
  );
  return await Promise.allSettled(
    zip(jobs, checked).map(async ([job, check]) => {
      if (check.status === "rejected") throw check.reason;
      // In order, before anything is awaited.
      const order = { ...job.order, prepared: afterOthers(job.order.prepared, commitments) };
      const nonce = reserve(order, { state, commitments, nextFree, toCode, currencyOf });
      return await signAndSave({ ...job, order }, { nonce, signer, height: state.height });
    }),
  );
}

/** Another program may have lowered a limit since it was prepared. */
async function currentNetwork(deps: Deps, { code }: NetworkRow): Promise<NetworkRow> {
  const row = await deps.db.get(Networks, [code]);
  await genuine(deps, Networks, [row]);
  return row;
}

/** Others tried at the same time may have counted on the same unused bandwidth. */
function afterOthers(prepared: PreparedTransfer, { size }: Commitments): PreparedTransfer {
  const { nativeCostAfter, nativeCostMaxRaw } = prepared;
  return { ...prepared, nativeCostMaxRaw: nativeCostAfter?.(size) ?? nativeCostMaxRaw };
}

/** Chooses the nonce. From here on its money is committed, also for the others of its batch. */
function reserve(
  { network, wallet, prepared, purpose, outbids, nonce: given }: SigningOrder,
  { state, commitments, nextFree, toCode, currencyOf }: {
    state: WalletState;
    commitments: Commitments;
    nextFree: NonceRule;
    toCode: CodePayments;
    currencyOf: (contract: string | null) => CurrencyRow;
  },
): number {
  const funds = { wallet, state, commitments };
  if (!outbids) checkNotDelegated(funds);
  checkFunds({ ...funds, without: outbids?.nonce, prepared, currencyOf });
  if (purpose === "withdrawal" && !outbids) {
    checkGasStays({ ...funds, prepared, targetRaw: gasTargetOf(network), currencyOf });
    toCode.add(prepared);
  }
  const nonce = outbids?.nonce ?? given ?? nextFree((one) => commitments.has(one));
  commitments.add({
    nonce,
    contractAddress: prepared.request.contract,
    amountRaw: prepared.request.amountRaw.toString(),
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
  });
  return nonce;
}

async function signAndSave(
  { deps, order, authority }: Job,
  { nonce, signer, height }: { nonce: number; signer: Signer; height: number },
): Promise<SignedTransferRow> {
  const { chain, prepared, outbids } = order;
  const signed = await chain.signTransfer(prepared, { nonce, signer });
  const rivals = outbids ? await bidsFor(deps.db, outbids) : [];
  return await save(deps, { ...order, authority, signed, rivals, height });
}

interface Saving extends SigningOrder {
  readonly authority: Authority;
  readonly signed: SignedTransfer;
  /** All earlier bids for its nonce. */
  readonly rivals: readonly SignedTransferRow[];
  readonly height: number;
}

async function save(deps: Deps, saving: Saving): Promise<SignedTransferRow> {
  const { network, wallet, signed, outbids, rivals, authority, reads = [] } = saving;
  return await deps.db.write({
    reads: [
      stopRead(),
      read(NetworkCursors, [network.code]),
      read(SignedTransfers, [network.code, wallet.address, signed.nonce], "nonce"),
      read(SignedTransfers, [network.code, signed.txHash], "hash"),
      ...readAll(SignedTransfers, rivals.map(({ id }) => [id])),
      ...authority.reads,
      ...reads,
    ],
    decide: (view) => {
      checkNotStopped(view);
      checkNotHalted(view, network);
      if (outbids) giveWay(view, { newest: outbids, rivals });
      authority.check(view);
      const nowMs = deps.clock.nowMs();
      const transfer = insertTransfer(view, { ...saving, nowMs });
      noteSigned(view, { transfer, nowMs });
      saving.claim?.(view, transfer);
      return transfer;
    },
  });
}

/** The books of a halted network may be wrong about deposits, so nothing is paid out. */
function checkNotHalted(view: View, { code }: NetworkRow): void {
  const cursor = view.get(NetworkCursors, [code]);
  if (cursor.haltedReason !== null) {
    throw new CannotPay("The network is halted until its operator has looked");
  }
}

interface GivingWay {
  readonly newest: SignedTransferRow;
  readonly rivals: readonly SignedTransferRow[];
}

/** Any bid may be mined, and the newest owns the nonce; once one is in a block, none may follow. */
function giveWay(view: View, { newest, rivals }: GivingWay): void {
  const rows = rivals.map(({ id }) => view.get(SignedTransfers, [id]));
  const row = present(rows.find(({ id }) => id === newest.id), "It is one of the bids");
  mustBeGenuine(view, SignedTransfers, row);
  const isNewest = row.state === "open" && row.liveNonce !== null;
  if (!isNewest || rows.some(({ blockHash }) => blockHash !== null)) throw new AlreadyMoved();
  view.update(SignedTransfers, row, { liveNonce: null });
}

function insertTransfer(view: View, saving: Saving & { nowMs: number }): SignedTransferRow {
  const { network, wallet, prepared, purpose, signed, nowMs } = saving;
  const { withdrawalId = null, sweepId = null } = saving;
  // Signing an abandoned order again produces the same bytes, so it reuses their row.
  const same = view.find(SignedTransfers, [network.code, signed.txHash], "hash");
  if (same?.state === "abandoned") {
    return view.update(SignedTransfers, same, {
      state: "open",
      liveNonce: signed.nonce,
      purpose,
      withdrawalId,
      sweepId,
      sentAtMs: null,
    });
  }
  return view.insert(SignedTransfers, {
    network: network.code,
    sender: wallet.address,
    nonce: signed.nonce,
    liveNonce: signed.nonce,
    txHash: signed.txHash,
    raw: signed.raw,
    purpose,
    withdrawalId,
    sweepId,
    transactionId: saving.outbids?.transactionId ?? null,
    toAddress: prepared.request.to,
    contractAddress: prepared.request.contract,
    amountRaw: prepared.request.amountRaw.toString(),
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
    state: "open",
    blockNumber: 0,
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
    arrivedRaw: null,
    signedAtHeight: saving.height,
    createdAtMs: nowMs,
    sentAtMs: null,
    callsCode: prepared.callsCode ? true : null,
  });
}
