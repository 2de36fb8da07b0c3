import { arrivalOf } from "../books/arrival.ts";
import { finalHeight } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import type { Spend } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { SentBytes, SentPayment } from "../chains/sent_bytes.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { transfersForGood } from "../following/final_view.ts";
import { type MovementPlan, planMovements } from "../following/plan_movements.ts";
import { readWith } from "../following/read_blocks.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { isDeep } from "./settle_transfer.ts";
import { lifetimeOf } from "../transfers/next_nonce.ts";
import { bidsFor } from "../transfers/reads/transfers.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

/** A transaction of one of our addresses that these books did not sign, as chain and bytes show it. */
export interface FoundSpend {
  readonly network: NetworkRow;
  readonly row: SignedTransferRow;
  readonly wallet: AddressRow;
  readonly spend: Spend;
  readonly sent: SentBytes;
  /** What the books have signed with its nonce and no block has. */
  readonly bids: readonly SignedTransferRow[];
  /** What it paid to our own deposit addresses. */
  readonly received: MovementPlan;
}

/** It paid somebody, in a currency that this gateway has. */
export interface PaidSpend {
  readonly found: FoundSpend;
  readonly payment: SentPayment;
  readonly currency: CurrencyRow;
}

/**
 * Its bytes are proven by its hash, whichever node serves them. Its block is read again, by as many
 * nodes as the quorum, and must be the recorded one, deep enough and final.
 */
export async function lookAtSpend(
  deps: Deps,
  { network, row }: { network: NetworkRow; row: SignedTransferRow },
): Promise<FoundSpend> {
  const { txHash, sender, blockNumber: height } = row;
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) throw refuse("spend_on_halted", { network: network.code });
  if (!isDeep(row, { cursor, network })) {
    const final = finalHeight({ cursor, network });
    throw refuse("spend_not_final", { txHash, height, network: network.code, final });
  }
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  if (!wallet) throw refuse("address_unknown", { address: sender, network: network.code });
  const chain = deps.chains.of(network);
  const [sent, { blocks: [block], owned }, bids] = await Promise.all([
    chain.sentBytes(txHash),
    readWith(deps, { network, chain, from: height, to: height, traces: false }),
    lifetimeOf(network) === null ? bidsFor(deps.db, row) : [],
  ]);
  const spend = block?.spends.find((one) => one.txHash === txHash && one.from === sender);
  const isSame = block?.ref.hash === row.blockHash && spend?.succeeded === row.isSuccessful;
  if (!block || !spend || !isSame || sent.sender !== sender || sent.nonce !== row.nonce) {
    throw new NodeError(`The nodes disagree with the recorded ${txHash}`);
  }
  const [standing] = await transfersForGood(deps, {
    network,
    rows: [{ ...row, purpose: "void", ...paidBy(sent, spend) }],
    scanHeight: cursor.scanHeight,
  });
  if (!standing) throw new NodeError(`The nodes do not report the recorded ${txHash} as final`);
  const transfers = block.transfers.filter((one) => one.txHash === txHash);
  const blocks = [{ ...block, transfers, spends: [] }];
  const received = await planMovements(deps, { network, blocks, owned });
  return { network, row, wallet, spend, sent, bids: bids.filter(isOpenBid), received };
}

export function isOpenBid({ state, purpose }: SignedTransferRow): boolean {
  return state === "open" && purpose !== "foreign";
}

/** In the form of a row for a transfer signed here. */
export function paidBy({ sender, payment }: SentBytes, spend: Spend) {
  const { to, contract, amountRaw } = payment ??
    { to: sender, contract: null, amountRaw: 0n };
  const paid = { toAddress: to, contractAddress: contract, amountRaw: amountRaw.toString() };
  return { ...paid, arrivedRaw: arrivalOf({ ...paid, arrivedRaw: null }, spend) };
}
