import { zip } from "../base/lists.ts";
import { hasMovedNothing } from "../books/arrival.ts";
import { rawOf } from "../books/address_books.ts";
import { cursorOf } from "../books/find.ts";
import { present } from "../base/assert.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { receivedIn } from "../following/reads.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Signed, SignedPaymentRow } from "../transfers/table.ts";

/** Nodes without old states keep those of about so many blocks. */
const STATES_KEPT = 100;

/**
 * The collected payments whose address holds as much as before: their token said that it moved, and
 * moved nothing. By balances in the block before and in their own, and what came in meanwhile.
 */
export async function movedNothing(
  deps: Deps,
  { network, signed: { tx, payments } }: { network: NetworkRow; signed: Signed },
): Promise<ReadonlySet<number>> {
  const collected = payments.filter((row) =>
    row.fromAddress !== tx.sender && row.isSuccessful && !hasMovedNothing(row)
  );
  if (collected.length === 0) return new Set();
  try {
    const [before, after] = await balancesAround(deps, { network, tx, collected });
    const received = await receivedBy(deps, { network, tx, collected });
    const still = zip(zip(before!, after!), collected).filter(([[beforeRaw, afterRaw], row]) =>
      beforeRaw + (received.get(keyOf(row)) ?? 0n) - afterRaw < BigInt(row.amountRaw)
    );
    return new Set(still.map(([, { id }]) => id));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const { scanHeight } = await cursorOf(deps, network);
    if (scanHeight - tx.blockNumber < STATES_KEPT) throw error;
    const fields = { network: network.code, tx_hash: tx.txHash, error: error.message };
    deps.log.warn("no node has the balances of a batch any more: its logs count", fields);
    return new Set();
  }
}

interface Collected extends Pick<Signed, "tx"> {
  readonly network: NetworkRow;
  readonly collected: readonly SignedPaymentRow[];
}

async function balancesAround(deps: Deps, { network, tx, collected }: Collected) {
  const chain = deps.chains.of(network);
  const ref = await chain.refAt(tx.blockNumber);
  if (!ref || ref.hash !== tx.blockHash) {
    throw new NodeError(`The nodes have another block ${tx.blockNumber} than the recorded one`);
  }
  const asked = collected.map(({ fromAddress: address, contractAddress: contract }) => ({
    address,
    contract,
  }));
  return await Promise.all([
    chain.balancesAt({ height: ref.height - 1, hash: ref.parentHash }, asked),
    chain.balancesAt(ref, asked),
  ]);
}

async function receivedBy(
  deps: Deps,
  { network, tx, collected }: Collected,
): Promise<ReadonlyMap<string, bigint>> {
  const catalog = await deps.catalog.current();
  const addresses = collected.map(({ fromAddress }) => fromAddress);
  const block = { network: network.code, height: tx.blockNumber, addresses };
  const { deposits, topUps } = await receivedIn(deps.db, block);
  const received = new Map<string, bigint>();
  const add = (to: string, contract: string | null, raw: bigint) => {
    const key = keyOf({ fromAddress: to, contractAddress: contract });
    received.set(key, (received.get(key) ?? 0n) + raw);
  };
  for (const { toAddress, currency: symbol, amount } of deposits) {
    const currency = present(catalog.currency(network.code, symbol), "Currencies stay");
    add(toAddress, currency.contractAddress, rawOf(amount, currency));
  }
  for (const { toAddress, amountRaw } of topUps) add(toAddress, null, BigInt(amountRaw));
  return received;
}

function keyOf(
  { fromAddress, contractAddress }: Pick<SignedPaymentRow, "fromAddress" | "contractAddress">,
): string {
  return `${fromAddress} ${contractAddress}`;
}
