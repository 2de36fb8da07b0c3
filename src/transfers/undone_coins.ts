import type { Deps } from "../deps/deps.ts";
import { inputsOf } from "../deposits/reads/inputs.ts";
import { type DepositInputRow, DepositInputs } from "../deposits/tables/inputs.ts";
import { outpointOf } from "../domain/outpoint.ts";
import { type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import { undoneSpentBy } from "../outputs/reads.ts";
import { type OutputRow, Outputs } from "../outputs/table.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import type { Authority } from "./authorise.ts";
import { AlreadyMoved } from "./save_signed.ts";
import type { SignedTransactionRow } from "./table.ts";

/** Others paid it, and a reorganisation took its block away: it may come again, or not. */
export interface UndoneCoin {
  readonly output: OutputRow;
  /** What its transaction spends, something else has spent for good: it can never come again. */
  readonly rival: DepositInputRow | undefined;
}

/** By transaction, of those that spend some. */
export async function undoneCoinsOf(
  { db }: Deps,
  { cursor, signed }: { cursor: NetworkCursorRow; signed: readonly SignedTransactionRow[] },
): Promise<ReadonlyMap<number, readonly UndoneCoin[]>> {
  const { network } = cursor;
  const pairs = await undoneSpentBy(db, { network, signedIds: signed.map(({ id }) => id) });
  const coins = await Promise.all(pairs.map(async ({ signedId, outputId }) => {
    const output = await db.get(Outputs, [outputId]);
    const inputs = await inputsOf(db, { network, txHash: output.txHash });
    const rival = inputs.find((row) => isSpentForGood(row, cursor));
    return { signedId, coin: { output, rival } };
  }));
  const bySigned = Map.groupBy(coins, ({ signedId }) => signedId);
  return new Map([...bySigned].map(([id, own]) => [id, own.map(({ coin }) => coin)]));
}

/** In a block that we read: that a node no longer shows an output proves nothing. */
function isSpentForGood(
  { spentBy, spentHash, spentHeight }: DepositInputRow,
  { finalizedHeight }: NetworkCursorRow,
): boolean {
  return spentBy !== null && spentHash !== null && spentHeight !== null &&
    spentHeight <= (finalizedHeight ?? -1);
}

/** Genuine rows say so, and still do in the unit that signs without these coins. */
export function proofOf(coins: readonly UndoneCoin[], network: string): Authority {
  const rivals = coins.map(({ rival }) => rival).filter((row) => row !== undefined);
  return {
    reads: [
      read(NetworkCursors, [network]),
      ...readAll(Outputs, coins.map(({ output }) => [output.id])),
      ...readAll(DepositInputs, rivals.map(({ id }) => [id])),
    ],
    check: (view) => {
      const cursor = view.get(NetworkCursors, [network]);
      const areGone = coins.every(({ output, rival }) =>
        view.get(Outputs, [output.id]).blockHash === null && rival !== undefined &&
        rival.txHash === output.txHash &&
        isSpentForGood(view.get(DepositInputs, [rival.id]), cursor)
      );
      if (!areGone) throw new AlreadyMoved("A reorganisation has brought its coins back");
    },
  };
}

export function whyUndone(coins: readonly UndoneCoin[]): string {
  const outpoints = coins.map(({ output }) => outpointOf(output)).join(" and ");
  return `it spends ${outpoints}, whose block a reorganisation took away; it is mined once that ` +
    "comes again, and signed anew once something else that spends the same is final";
}
