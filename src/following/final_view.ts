import { present } from "../base/assert.ts";
import { rawOf } from "../books/address_books.ts";
import { type NewAlert, raiseAlert } from "../books/alerts.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { SeenTransaction } from "../chains/seen_transaction.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Signed, SignedPaymentRow } from "../transfers/table.ts";

interface Asked<Row> {
  readonly network: NetworkRow;
  readonly rows: readonly Row[];
  /** How far we have read ourselves. */
  readonly scanHeight: number;
}

interface Standing {
  readonly txHash: string;
  readonly blockNumber: number;
}

/** No honest node lags by more than this many times the usual depth. */
const LATE_DEPTH_FACTOR = 10;

/** Those that are final on the chain, exactly as recorded. */
export async function depositsForGood(
  deps: Deps,
  { network, rows, scanHeight }: Asked<TransactionRow>,
): Promise<readonly TransactionRow[]> {
  const catalog = await deps.catalog.current();
  return await forGood(deps, { network, rows, scanHeight }, (row) => {
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

/** Foreign transactions move nobody's money, so their result doesn't matter. */
export async function signedForGood(
  deps: Deps,
  { network, rows, scanHeight }: Asked<Signed>,
): Promise<readonly Signed[]> {
  // What pays nothing, such as a new contract, is looked at once.
  const looksAt = (payments: readonly SignedPaymentRow[]) =>
    payments.length === 0 ? [undefined] : payments;
  const own = rows.filter(({ tx }) => !tx.isForeign).flatMap(({ tx, payments }) =>
    looksAt(payments).map((payment) => ({
      txHash: tx.txHash,
      blockNumber: tx.blockNumber,
      tx,
      payment,
    }))
  );
  const standing = await forGood(deps, { network, rows: own, scanHeight }, ({ tx, payment }) => ({
    txHash: tx.txHash,
    height: tx.blockNumber,
    succeeded: tx.isSuccessful === true,
    ...payment && { ...arrivedOf(payment), ...failedIn(tx, payment) },
  }));
  const isFor = Map.groupBy(standing, ({ tx }) => tx);
  return rows.filter(({ tx, payments }) =>
    tx.isForeign || isFor.get(tx)?.length === looksAt(payments).length
  );
}

function arrivedOf(row: SignedPaymentRow): Pick<SeenTransaction, "arrival"> {
  const { contractAddress: contract, fromAddress: from, toAddress: to, arrivedRaw } = row;
  if (contract === null || arrivedRaw === null) return {};
  return { arrival: { contract, from, to, amountRaw: BigInt(arrivedRaw) } };
}

/** Or so it was said, as that it wasn't tried. What the sender itself pays stands and falls with it. */
function failedIn(
  { sender, isSuccessful }: Signed["tx"],
  { fromAddress, isSuccessful: isCarriedOut, position }: SignedPaymentRow,
): Pick<SeenTransaction, "failedOrder"> {
  const isFailed = isSuccessful === true && fromAddress !== sender && isCarriedOut !== true;
  return isFailed ? { failedOrder: position } : {};
}

/** One transaction that no row says this about yet. */
export async function isForGood(
  deps: Deps,
  { network, seen, scanHeight }: {
    network: NetworkRow;
    seen: SeenTransaction;
    scanHeight: number;
  },
): Promise<boolean> {
  const rows = [{ txHash: seen.txHash, blockNumber: seen.height }];
  return (await forGood(deps, { network, rows, scanHeight }, () => seen)).length > 0;
}

async function forGood<Row extends Standing>(
  deps: Deps,
  { network, rows, scanHeight }: Asked<Row>,
  seenAs: (row: Row) => SeenTransaction,
): Promise<readonly Row[]> {
  if (rows.length === 0) return rows;
  try {
    const chain: Chain = deps.chains.of(network);
    const standing = await chain.finalView(rows.map(seenAs));
    const others = rows.filter(({ txHash }) => !standing.has(txHash));
    const lateDepth = LATE_DEPTH_FACTOR * network.minConfirmations;
    for (const { txHash, blockNumber } of others) {
      const fields = { network: network.code, tx_hash: txHash };
      deps.log.warn("the final state of a transaction is not what was read", fields);
      if (scanHeight - blockNumber >= lateDepth) await alertLate(deps, { network, txHash });
    }
    return rows.filter(({ txHash }) => standing.has(txHash));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, error: error.message };
    deps.log.warn("no node says what is final", fields);
    return [];
  }
}

/** It closes once the transaction is settled, or what it paid is credited. */
export function notFinalAsRead(
  { network, txHash }: { network: string; txHash: string },
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "not_final_as_read", subject: `${network} ${txHash}` };
}

/** Either the earlier reading or the present answer is wrong, so neither credits or settles anything. */
async function alertLate(
  deps: Deps,
  { network: { code }, txHash }: { network: NetworkRow; txHash: string },
): Promise<void> {
  await raiseAlert(deps, {
    ...notFinalAsRead({ network: code, txHash }),
    message: `The nodes disagree with the recorded ${txHash} on ${code}: ` +
      "it is neither credited nor settled until they agree. Is one of the nodes wrong?",
  });
}
