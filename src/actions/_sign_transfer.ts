import { KeyedMutex } from "../base/mutex.ts";
import type { Chain, PreparedTransfer, SignedTransfer, WalletState } from "../chains/chain.ts";
import type { AddressRow, NetworkRow, SignedTransferRow } from "../store/rows.ts";
import { Addresses, SignedTransfers, Withdrawals } from "../store/tables.ts";
import { lastUsedNonce, openTransfersOf } from "../store/transfer_reads.ts";
import { read, UniqueConflict, type View } from "../store/workspace.ts";
import { signerOf } from "./_addresses.ts";
import { raiseAlert } from "./_alerts.ts";
import type { Deps } from "./deps.ts";

/** The wallet cannot pay this now: nothing was signed. */
export class CannotPay extends Error {
  override name = "CannotPay";
}

/** The withdrawal was moved on by somebody else before anything was signed for it. */
export class AlreadyMoved extends Error {
  override name = "AlreadyMoved";
}

export interface SigningOrder {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly chain: Chain;
  readonly prepared: PreparedTransfer;
  readonly purpose: SignedTransferRow["purpose"];
  readonly withdrawalId: number | null;
  /** A nonce to fill; otherwise the lowest free one. */
  readonly nonce?: number;
}

const RACES_MAX = 10;
const wallets = new KeyedMutex();

/**
 * Gives the transfer a nonce, signs it and makes the bytes durable. One at a time for a wallet; the
 * unique index on its nonces keeps other processes out.
 */
export function signTransfer(deps: Deps, order: SigningOrder): Promise<SignedTransferRow> {
  return wallets.run(`${order.network.code}/${order.wallet.address}`, async () => {
    for (let race = 1;; race++) {
      try {
        return await signOnce(deps, order);
      } catch (error) {
        if (!(error instanceof UniqueConflict)) throw error;
        if (race === RACES_MAX) {
          throw new CannotPay("The wallet's next nonce is held by another transfer: try again");
        }
      }
    }
  });
}

async function signOnce(deps: Deps, order: SigningOrder): Promise<SignedTransferRow> {
  const { network, wallet, chain, prepared } = order;
  const { contract } = prepared.request;
  const owner = { network: network.code, sender: wallet.address };
  const [state, open] = await Promise.all([
    chain.walletState(wallet.address, contract === null ? [] : [contract]),
    openTransfersOf(deps.db, owner),
  ]);
  await haltOnForeignNonce(deps, order, state);
  const unmined = open.filter((row) => row.nonce >= state.nonce);
  checkFunds({ state, unmined, prepared });
  const nonce = order.nonce ?? lowestFreeNonce(state, unmined);
  const signer = signerOf(await deps.keyRing(), network, wallet);
  const signed = await chain.signTransfer(prepared, { nonce, signer });
  return await save(deps, order, signed);
}

/** The chain counts more than was signed here: the key is used elsewhere, and nothing adds up any more. */
async function haltOnForeignNonce(
  deps: Deps,
  order: SigningOrder,
  state: WalletState,
): Promise<void> {
  const { network, wallet } = order;
  const last = await lastUsedNonce(deps.db, { network: network.code, sender: wallet.address });
  if (last === undefined || state.nonce <= last + 1) return;
  const reason =
    `Wallet ${wallet.address} on ${network.code} has sent ${state.nonce} transactions, ` +
    `of which this gateway signed up to number ${last + 1}: its key is used elsewhere`;
  await haltWallet(deps, wallet, reason);
  throw new CannotPay(reason);
}

export async function haltWallet(deps: Deps, wallet: AddressRow, reason: string): Promise<void> {
  await deps.db.write({
    reads: [read(Addresses, [wallet.id])],
    decide: (view) => {
      const row = view.find(Addresses, [wallet.id]);
      if (row && row.haltedReason === null) view.update(Addresses, row, { haltedReason: reason });
    },
  });
  await raiseAlert(deps, { kind: "wallet_halted", subject: wallet.address, message: reason });
}

/** What open transfers may still take is spoken for. Both numbers are of the same block. */
function checkFunds(
  facts: { state: WalletState; unmined: readonly SignedTransferRow[]; prepared: PreparedTransfer },
): void {
  const { state, unmined, prepared } = facts;
  const { contract, amountRaw } = prepared.request;
  const nativeCommitted = sumRaw(unmined.map((row) => row.nativeCostMaxRaw));
  if (state.nativeRaw - nativeCommitted < prepared.nativeCostMaxRaw) {
    throw new CannotPay(
      `The hot wallet needs ${prepared.nativeCostMaxRaw} base units of the native coin and has ` +
        `${state.nativeRaw}, of which ${nativeCommitted} are spoken for`,
    );
  }
  if (contract === null) return;
  const held = state.tokensRaw.get(contract) ?? 0n;
  const committed = sumRaw(
    unmined.filter((row) => row.contractAddress === contract).map((row) => row.amountRaw),
  );
  if (held - committed < amountRaw) {
    throw new CannotPay(
      `The hot wallet needs ${amountRaw} base units of ${contract} and has ${held}, of which ` +
        `${committed} are spoken for`,
    );
  }
}

function sumRaw(values: readonly string[]): bigint {
  return values.reduce((sum, value) => sum + BigInt(value), 0n);
}

function lowestFreeNonce(state: WalletState, unmined: readonly SignedTransferRow[]): number {
  const taken = new Set(unmined.map((row) => row.nonce));
  let nonce = state.nonce;
  while (taken.has(nonce)) nonce++;
  return nonce;
}

async function save(
  deps: Deps,
  order: SigningOrder,
  signed: SignedTransfer,
): Promise<SignedTransferRow> {
  const { network, wallet, withdrawalId } = order;
  return await deps.db.write({
    reads: [
      read(SignedTransfers, [network.code, wallet.address, signed.nonce], "nonce"),
      read(SignedTransfers, [network.code, signed.txHash], "hash"),
      ...withdrawalId === null ? [] : [read(Withdrawals, [withdrawalId])],
    ],
    decide: (view) => {
      const withdrawal = withdrawalId === null ? undefined : view.find(Withdrawals, [withdrawalId]);
      if (withdrawal && (withdrawal.status !== "pending" || withdrawal.transferId !== null)) {
        throw new AlreadyMoved();
      }
      const transfer = insertTransfer(view, { order, signed, nowMs: deps.clock.nowMs() });
      if (withdrawal) view.update(Withdrawals, withdrawal, { transferId: transfer.id });
      return transfer;
    },
  });
}

function insertTransfer(
  view: View,
  { order, signed, nowMs }: { order: SigningOrder; signed: SignedTransfer; nowMs: number },
): SignedTransferRow {
  const { network, wallet, prepared, purpose, withdrawalId } = order;
  // The same order signed again after it was given up gives the same bytes: they are its again.
  const same = view.find(SignedTransfers, [network.code, signed.txHash], "hash");
  if (same?.state === "abandoned") {
    const taken = {
      state: "open",
      liveNonce: signed.nonce,
      purpose,
      withdrawalId,
      sentAtMs: null,
    } as const;
    return view.update(SignedTransfers, same, taken);
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
    contractAddress: prepared.request.contract,
    amountRaw: prepared.request.amountRaw.toString(),
    nativeCostMaxRaw: prepared.nativeCostMaxRaw.toString(),
    state: "open",
    blockNumber: 0,
    blockHash: null,
    isSuccessful: null,
    feeRaw: null,
    createdAtMs: nowMs,
    sentAtMs: null,
  });
}
