import { present } from "../base/assert.ts";
import { arrivalOf } from "../books/arrival.ts";
import { finalHeight } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import type { Spend } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { SentBytes, SentPayment } from "../chains/sent_bytes.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isForGood } from "../following/final_view.ts";
import { type MovementPlan, planMovements } from "../following/plan_movements.ts";
import { readWith } from "../following/read_blocks.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { isHeldBy, openBeside } from "./_owners.ts";
import { isDeep } from "./settle_transfer.ts";
import { bidsFor } from "../transfers/reads/claims.ts";
import { withPayments } from "../transfers/reads/transfers.ts";
import type { Signed, SignedPaymentRow, SignedTransactionRow } from "../transfers/table.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

type PaidColumns = Pick<
  SignedPaymentRow,
  "fromAddress" | "toAddress" | "contractAddress" | "amountRaw" | "isSuccessful" | "arrivedRaw"
>;

/** A transaction of one of our addresses that these books did not sign, as chain and bytes show it. */
export interface FoundSpend {
  readonly network: NetworkRow;
  readonly tx: SignedTransactionRow;
  readonly wallet: AddressRow;
  readonly spend: Spend;
  readonly sent: SentBytes;
  /** What the books have signed for the same claims and no block has. */
  readonly bids: readonly Signed[];
  /** What they were signed for, and nothing but them: it may have been for that. */
  readonly sought: readonly SignedPaymentRow[];
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
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<FoundSpend> {
  const { txHash, sender, blockNumber: height } = tx;
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) throw refuse("spend_on_halted", { network: network.code });
  if (!isDeep(tx, { cursor, network })) {
    const final = finalHeight({ cursor, network });
    throw refuse("spend_not_final", { txHash, height, network: network.code, final });
  }
  const wallet = await deps.db.find(Addresses, [network.code, sender], "address");
  if (!wallet) throw refuse("address_unknown", { address: sender, network: network.code });
  const chain = deps.chains.of(network);
  const [sent, { blocks: [block], owned }, rivals] = await Promise.all([
    chain.sentBytes(txHash, { height, hash: present(tx.blockHash, "It is in a block") }),
    readWith(deps, { network, chain, from: height, to: height, traces: false }),
    bidsFor(deps.db, tx),
  ]);
  const spend = block?.spends.find((one) => one.txHash === txHash && one.from === sender);
  const isSame = block?.ref.hash === tx.blockHash && spend?.succeeded === tx.isSuccessful;
  if (!block || !spend || !isSame || sent.sender !== sender || sent.nonce !== tx.place) {
    throw new NodeError(`The nodes disagree with the recorded ${txHash}`);
  }
  await checkStands(deps, { network, tx, sent, spend, scanHeight: cursor.scanHeight });
  const transfers = block.transfers.filter((one) => one.txHash === txHash);
  const blocks = [{ ...block, transfers, spends: [] }];
  const received = await planMovements(deps, { network, blocks, owned });
  const bids = await withPayments(deps.db, rivals.filter(isOpenBid));
  const beside = await openBeside(deps, { bids, losers: bids });
  const sought = bids.flatMap(({ payments }) => payments).filter((one) => !isHeldBy(beside, one));
  return { network, tx, wallet, spend, sent, bids, sought, received };
}

export function isOpenBid({ state, isForeign }: SignedTransactionRow): boolean {
  return state === "open" && !isForeign;
}

async function checkStands(
  deps: Deps,
  { network, tx, sent, spend, scanHeight }:
    & Pick<FoundSpend, "network" | "tx" | "sent" | "spend">
    & {
      scanHeight: number;
    },
): Promise<void> {
  const { txHash, blockNumber: height, isSuccessful } = tx;
  const { contractAddress: contract, toAddress: to, arrivedRaw } = paidBy(sent, spend);
  const arrival = contract === null || arrivedRaw === null
    ? {}
    : { arrival: { contract, from: tx.sender, to, amountRaw: BigInt(arrivedRaw) } };
  const seen = { txHash, height, succeeded: isSuccessful === true, ...arrival };
  if (await isForGood(deps, { network, seen, scanHeight })) return;
  throw new NodeError(`The nodes do not report the recorded ${txHash} as final`);
}

/** In the form of a payment signed here. */
export function paidBy({ sender, payment }: SentBytes, spend: Spend): PaidColumns {
  const { to, contract, amountRaw } = payment ??
    { to: sender, contract: null, amountRaw: 0n };
  const paid = {
    fromAddress: sender,
    toAddress: to,
    contractAddress: contract,
    amountRaw: amountRaw.toString(),
  };
  return { ...paid, isSuccessful: spend.succeeded, arrivedRaw: arrivalOf(paid, spend) };
}
