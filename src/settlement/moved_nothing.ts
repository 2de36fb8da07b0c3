import { present } from "../base/assert.ts";
import { hasMovedNothing } from "../books/arrival.ts";
import { cursorOf } from "../books/find.ts";
import { NodeError } from "../chains/faults.ts";
import type { LoggedMove } from "../chains/token_moves.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Signed, SignedPaymentRow } from "../transfers/table.ts";

/** Nodes without old states keep those of about so many blocks. */
const STATES_KEPT = 100;

/**
 * The collected payments of tokens whose address holds as much as before: their token said that it
 * moved, and moved nothing. Where a token tells no balance, its logs count. Of coins nobody else
 * could say that: where the collector says so, they have moved.
 */
export async function movedNothing(
  deps: Deps,
  { network, signed: { tx, payments } }: { network: NetworkRow; signed: Signed },
): Promise<ReadonlySet<number>> {
  const collected = payments.flatMap((row) => {
    const isAsked = row.fromAddress !== tx.sender && row.isSuccessful && !hasMovedNothing(row);
    const move = isAsked ? loggedBy(row) : undefined;
    return move ? [{ id: row.id, move }] : [];
  });
  if (collected.length === 0) return new Set();
  const fields = { network: network.code, tx_hash: tx.txHash };
  const block = { height: tx.blockNumber, hash: present(tx.blockHash, "It is in a block") };
  const chain = deps.chains.of(network);
  try {
    const asked = chain.areBorneOut?.(block, collected.map(({ move }) => move));
    const verdicts = await present(asked, "A chain with batches knows their balances");
    if (verdicts.includes(null)) {
      deps.log.warn("a token of a batch tells no balance: its logs count", fields);
    }
    return new Set(collected.filter((_, i) => verdicts[i] === false).map(({ id }) => id));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { scanHeight } = await cursorOf(deps, network);
    if (scanHeight - tx.blockNumber < STATES_KEPT) throw error;
    const why = { ...fields, error: error.message };
    deps.log.warn("no node has the balances of a batch any more: its logs count", why);
    return new Set();
  }
}

function loggedBy(
  { contractAddress: contract, fromAddress: from, amountRaw, arrivedRaw }: SignedPaymentRow,
): LoggedMove | undefined {
  if (contract === null || arrivedRaw === null) return undefined;
  return { contract, from, amountRaw: BigInt(amountRaw), loggedRaw: BigInt(arrivedRaw) };
}
