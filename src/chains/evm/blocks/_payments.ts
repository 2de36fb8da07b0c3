import { present } from "../../../base/assert.ts";
import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";
import type { Spend, Transfer } from "../../chain.ts";
import { movesFrom } from "../../token_moves.ts";
import type { EvmTx } from "./decode_block.ts";
import type { EvmReceipt } from "./decode_receipt.ts";
import { readCarriedOut } from "../collector/carried_out.ts";
import { readTransferLog } from "../erc20.ts";
import type { InnerPayment } from "./inner_payments.ts";
import { isWatchedTransfer, type ScannedBlock } from "./scan_blocks.ts";

/** By transaction hash; empty without traces. */
export type InnerPayments = ReadonlyMap<string, readonly InnerPayment[]>;

export async function candidates(
  scanned: readonly ScannedBlock[],
  inner: InnerPayments,
): Promise<Set<string>> {
  const addresses = new Set([...inner.values()].flat().map(({ to }) => to));
  for (const { block, logs } of scanned) {
    await mapInPortions(block.txs, ({ from, to, valueRaw }) => {
      addresses.add(from);
      if (to !== null && valueRaw > 0n) addresses.add(to);
    }, SMALL_ITEMS);
    for (const move of await mapInPortions(logs, readTransferLog, SMALL_ITEMS)) {
      if (move) addresses.add(move.to);
    }
  }
  return addresses;
}

export async function touchedBy(
  { block, logs }: ScannedBlock,
  { owned, inner }: { owned: ReadonlySet<string>; inner: InnerPayments },
): Promise<EvmTx[]> {
  const moves = await mapInPortions(logs, readTransferLog, SMALL_ITEMS);
  const paidByLog = new Set(
    logs.filter((_, i) => owned.has(moves[i]?.to ?? "")).map((log) => log.txHash),
  );
  const areTouched = await mapInPortions(
    block.txs,
    (tx) =>
      owned.has(tx.from) || paidByLog.has(tx.hash) || paysNative(tx, owned) ||
      inner.get(tx.hash)?.some(({ to }) => owned.has(to)),
    SMALL_ITEMS,
  );
  return block.txs.filter((_, i) => areTouched[i]);
}

export function transfersOf(
  tx: EvmTx,
  receiptOf: ReadonlyMap<string, EvmReceipt>,
  { owned, contracts, inner }: {
    owned: ReadonlySet<string>;
    contracts: readonly string[];
    inner: InnerPayments;
  },
): Transfer[] {
  const receipt = present(receiptOf.get(tx.hash), "Every touched transaction has a receipt");
  if (!receipt.succeeded) return [];
  const common = { txHash: tx.hash, sender: tx.from, senderNonce: tx.nonce };
  const transfers: Transfer[] = [];
  if (paysNative(tx, owned)) {
    const { from, valueRaw: amountRaw } = tx;
    const to = present(tx.to, "A payment has a recipient");
    transfers.push({ ...common, position: 0, contract: null, from, to, amountRaw });
  }
  for (const { index, ...payment } of inner.get(tx.hash) ?? []) {
    if (!owned.has(payment.to)) continue;
    transfers.push({ ...common, position: -2 - index, contract: null, ...payment });
  }
  for (const [ordinal, log] of receipt.logs.entries()) {
    const move = isWatchedTransfer(log, contracts) ? readTransferLog(log) : undefined;
    if (move && owned.has(move.to)) transfers.push({ ...common, position: 1 + ordinal, ...move });
  }
  return transfers;
}

function paysNative({ to, valueRaw }: EvmTx, owned: ReadonlySet<string>): boolean {
  return to !== null && valueRaw > 0n && owned.has(to);
}

export function spendOf(tx: EvmTx, receiptOf: ReadonlyMap<string, EvmReceipt>): Spend {
  const receipt = present(receiptOf.get(tx.hash), "Every touched transaction has a receipt");
  const { succeeded, feeRaw, logs } = receipt;
  const common = { txHash: tx.hash, from: tx.from, nonce: tx.nonce, succeeded, feeRaw };
  const moves = logs.flatMap((log) => readTransferLog(log) ?? []);
  const carriedOut = readCarriedOut(logs.filter(({ contract }) => contract === tx.to));
  return carriedOut
    ? { ...common, tokenMoves: moves, carriedOut }
    : { ...common, tokenMoves: movesFrom(tx.from, moves) };
}
