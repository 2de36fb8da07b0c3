import { type Chain, NodeError, type SeenTransaction } from "../chains/chain.ts";
import { present } from "../base/assert.ts";
import type { NetworkRow, SignedTransferRow, TransactionRow } from "../store/rows.ts";
import { rawOf } from "./_address_books.ts";
import type { Deps } from "./deps.ts";

interface Asked<Row> {
  readonly network: NetworkRow;
  readonly rows: readonly Row[];
}

/** Those that the chain shows for good as they were recorded. */
export async function depositsForGood(
  deps: Deps,
  { network, rows }: Asked<TransactionRow>,
): Promise<readonly TransactionRow[]> {
  const catalog = await deps.catalog.current();
  return await forGood(deps, { network, rows }, (row) => {
    const currency = present(catalog.currency(network.code, row.currency), "Currencies stay");
    const payment = {
      contract: currency.contractAddress,
      to: row.toAddress,
      position: row.position,
      amountRaw: rawOf(row.amount, currency),
    };
    return { txHash: row.txHash, height: row.blockNumber, succeeded: true, payment };
  });
}

/** What became of a transaction that was not made here concerns nobody's money. */
export async function transfersForGood(
  deps: Deps,
  { network, rows }: Asked<SignedTransferRow>,
): Promise<readonly SignedTransferRow[]> {
  const own = rows.filter(({ purpose }) => purpose !== "foreign");
  const standing = new Set(
    await forGood(deps, { network, rows: own }, (row) => ({
      txHash: row.txHash,
      height: row.blockNumber,
      succeeded: row.isSuccessful === true,
      payment: row.purpose === "void"
        ? null
        : { contract: row.contractAddress, to: row.toAddress, position: null, amountRaw: null },
    })),
  );
  return rows.filter((row) => row.purpose === "foreign" || standing.has(row));
}

async function forGood<Row extends { readonly txHash: string }>(
  deps: Deps,
  { network, rows }: Asked<Row>,
  seenAs: (row: Row) => SeenTransaction,
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows;
  try {
    const chain: Chain = deps.chains.of(network);
    const standing = await chain.finalView(rows.map(seenAs));
    const others = rows.filter(({ txHash }) => !standing.has(txHash));
    for (const { txHash } of others) {
      deps.log.warn("a transaction is not final as it was read", {
        network: network.code,
        tx_hash: txHash,
      });
    }
    return rows.filter(({ txHash }) => standing.has(txHash));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, error: error.message };
    deps.log.warn("no node tells what is final", fields);
    return [];
  }
}
