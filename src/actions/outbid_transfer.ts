import { present } from "../base/assert.ts";
import type { Chain, Preflight, PriceOptions } from "../chains/chain.ts";
import type { AddressRow, NetworkRow, SignedTransferRow } from "../store/rows.ts";
import { Addresses, Transactions, Withdrawals } from "../store/tables.ts";
import { type Read, read, type View } from "../store/workspace.ts";
import { refusedBy } from "./_funds.ts";
import { toldOf } from "./_outgoing_row.ts";
import { priceOf } from "./_price.ts";
import { recordAudit } from "./_records.ts";
import { sendTransfer } from "./_send_transfer.ts";
import { AlreadyMoved, signTransfer } from "./_sign_transfer.ts";
import type { Actor, Deps } from "./deps.ts";

export interface Outbidding {
  readonly network: NetworkRow;
  /** The newest bid for its nonce. */
  readonly transfer: SignedTransferRow;
  /** The new bid moves nothing: mined, it takes the nonce from what would have. */
  readonly isVoid?: boolean;
  readonly actor: Actor;
}

/**
 * The same nonce again at a higher price. Only one of the bids can ever be mined, so nothing is paid
 * twice; each is watched, and the one that is mined is the one that counts.
 */
export async function outbidTransfer(
  deps: Deps,
  { network, transfer, isVoid = false, actor }: Outbidding,
): Promise<SignedTransferRow> {
  const wallet = present(
    await deps.db.find(Addresses, [network.code, transfer.sender], "address"),
    "Who signed it is ours",
  );
  const chain = deps.chains.of(network);
  const { nonce, nativeRaw: spendableRaw } = await chain.walletState(wallet.address, []);
  // Mined, and not read yet: what it lacks now it has moved.
  if (nonce > transfer.nonce) throw new AlreadyMoved();
  const catalog = await deps.catalog.current();
  const moved = isVoid ? null : transfer.contractAddress;
  const currency = present(catalog.currencyByContract(network.code, moved), "Currencies stay");
  const price = { ...priceOf(network, currency), outbids: transfer.raw };
  const preflight = await preflightOf(chain, { wallet, transfer, isVoid, price, spendableRaw });
  if (preflight.kind === "refused") throw refusedBy(preflight);
  const saved = await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: preflight.prepared,
    purpose: isVoid ? "void" : transfer.purpose,
    withdrawalId: transfer.withdrawalId,
    sweepId: transfer.sweepId,
    outbids: transfer,
    reads: ownerReads(transfer),
    claim: (view, bid) => followBid(view, { network, bid, actor, nowMs: deps.clock.nowMs() }),
  });
  const result = await sendTransfer(deps, { chain, transfer: saved });
  const fields = { network: network.code, tx_hash: saved.txHash, outbids: transfer.txHash, result };
  deps.log.warn("transfer outbid", fields);
  return saved;
}

interface Bidding {
  readonly wallet: AddressRow;
  readonly transfer: SignedTransferRow;
  readonly isVoid: boolean;
  readonly price: PriceOptions;
  readonly spendableRaw: bigint;
}

/** What empties an address has to give up some of what it moves for the higher price. */
async function preflightOf(
  chain: Chain,
  { wallet: { address: from }, transfer, isVoid, price, spendableRaw }: Bidding,
): Promise<Preflight> {
  const { toAddress: to, contractAddress: contract, amountRaw } = transfer;
  if (isVoid) {
    return await chain.prepareTransfer({ from, to: from, contract: null, amountRaw: 0n }, price);
  }
  if (transfer.purpose !== "sweep" || contract !== null) {
    return await chain.prepareTransfer({ from, to, contract, amountRaw: BigInt(amountRaw) }, price);
  }
  const amountMaxRaw = BigInt(amountRaw);
  return await chain.prepareDrain({ from, to, amountMaxRaw, spendableRaw }, price);
}

function ownerReads({ withdrawalId, transactionId }: SignedTransferRow): Read[] {
  return [
    ...withdrawalId === null ? [] : [read(Withdrawals, [withdrawalId])],
    ...transactionId === null ? [] : [read(Transactions, [transactionId])],
  ];
}

/** The newest bid is the one that is shown, until another one of them is mined. */
function followBid(
  view: View,
  { network, bid, actor, nowMs }: {
    network: NetworkRow;
    bid: SignedTransferRow;
    actor: Actor;
    nowMs: number;
  },
): void {
  const { withdrawalId, transactionId, txHash, purpose } = bid;
  const subject = withdrawalId === null ? `transfer:${bid.id}` : `withdrawal:${withdrawalId}`;
  const action = purpose === "void" ? "transfer.voided" : "transfer.outbid";
  const detail = { network: bid.network, sender: bid.sender, nonce: bid.nonce, tx_hash: txHash };
  recordAudit(view, { actor, action, subject, detail, nowMs });
  if (purpose === "void") return;
  const row = transactionId === null ? undefined : view.find(Transactions, [transactionId]);
  if (row) view.update(Transactions, row, toldOf(bid, network));
  const withdrawal = withdrawalId === null ? undefined : view.find(Withdrawals, [withdrawalId]);
  if (withdrawal) view.update(Withdrawals, withdrawal, { txHash, transferId: bid.id });
}
