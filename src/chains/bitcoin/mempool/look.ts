import { mapInPortions, SMALL_ITEMS } from "../../../base/waiting/in_portions.ts";
import { nextTurn } from "../../../base/waiting/next_turn.ts";
import type { Transfer, Watch } from "../../chain.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { OutputBook, SpentOutput } from "../../outputs.ts";
import { type BitcoinTransaction, readTransaction } from "../bytes/transaction.ts";
import type { BitcoinNode } from "../node/node.ts";
import type { BitcoinNetwork } from "../params.ts";
import { inputsOf, type Payment, paymentsOf, transferOf } from "../payments.ts";
import { NodeError } from "../../faults.ts";

/** What is known of the mempool of one node. */
export interface MempoolMemory {
  sequence: number | undefined;
  /** How many lists it has given. */
  lists: number;
  /** All that it listed last, and of each whether it was read. */
  listed: Map<string, Standing>;
  /** What pays us, by transaction. */
  ours: Map<string, readonly Transfer[]>;
}

interface Standing {
  isRead: boolean;
  /** Of the lists, the last that had it. */
  list: number;
}

export function newMempoolMemory(): MempoolMemory {
  return { sequence: undefined, lists: 0, listed: new Map(), ours: new Map() };
}

interface Looking {
  readonly network: BitcoinNetwork;
  /** The network's code. */
  readonly code: string;
  readonly book: OutputBook;
  readonly watch: Pick<Watch, "owned">;
  readonly memory: MempoolMemory;
}

/** In one look. What a node had before its first look is read along with what is new, bit by bit. */
const READ_MAX = 1_000;
const READ_AT_ONCE = 100;
/** A copy of them to map would take longer than looking at them. */
const ENTRIES_PER_TURN = 10_000;
/**
 * How many of those that wait are shown, what of one of them, and how many payments to one address:
 * whoever floods mempools is seen in blocks, for which he pays.
 */
const [OURS_MAX, OUTPUTS_MAX, ADDRESS_MAX] = [2_000, 100, 20];
/** As many as nodes let wait for each other. */
const ANCESTORS_MAX = 25;

/** What the mempool of this node pays us. Each of its transactions is read once. */
export async function lookAtMempool(
  node: BitcoinNode,
  looking: Looking,
): Promise<ReadonlyMap<string, readonly Transfer[]>> {
  const { memory } = looking;
  const { txids, sequence } = await node.mempool();
  const isSame = sequence === memory.sequence && txids.length === memory.listed.size;
  const unread = isSame ? unreadOf(memory) : await noteList(memory, txids);
  memory.sequence = sequence;
  const now = unread.slice(0, READ_MAX);
  for (let from = 0; from < now.length; from += READ_AT_ONCE) {
    await readNew(node, now.slice(from, from + READ_AT_ONCE), looking);
  }
  return memory.ours;
}

function unreadOf({ listed }: MempoolMemory): string[] {
  return [...listed].flatMap(([txid, { isRead }]) => isRead ? [] : [txid]);
}

/** Answers what wasn't read yet: what is new comes first. */
async function noteList(memory: MempoolMemory, txids: readonly string[]): Promise<string[]> {
  const { listed, ours } = memory;
  const [fresh, waiting]: [string[], string[]] = [[], []];
  const list = ++memory.lists;
  await mapInPortions(txids, (txid) => {
    const known = listed.get(txid);
    if (!known) {
      listed.set(txid, { isRead: false, list });
      fresh.push(txid);
    } else {
      known.list = list;
      if (!known.isRead) waiting.push(txid);
    }
  }, SMALL_ITEMS);
  // It was mined, replaced or dropped.
  let seen = 0;
  for (const [txid, known] of listed) {
    if (++seen % ENTRIES_PER_TURN === 0) await nextTurn();
    if (known.list === list) continue;
    listed.delete(txid);
    ours.delete(txid);
  }
  return [...fresh, ...waiting];
}

async function readNew(
  node: BitcoinNode,
  txids: readonly string[],
  looking: Looking,
): Promise<void> {
  const { network, watch, memory } = looking;
  const transactions = await read(node, txids, network);
  const payments = await paymentsOf(transactions, network);
  const owned = await watch.owned([...new Set(payments.map(({ address }) => address))]);
  const own = Map.groupBy(payments.filter(({ address }) => owned.has(address)), ({ tx }) => tx);
  const some = withinLimits([...own], memory);
  const senders = await sendersOf(some.map(([tx]) => tx), looking);
  await Promise.all(some.map(async ([tx, paid]) => {
    const inputs = inputsOf([tx, ...await ancestorsOf(node, tx, looking)]);
    const sender = senders.get(tx.txid) ?? "";
    memory.ours.set(
      tx.txid,
      paid.map((one) => transfer(one, { sender, inputs })),
    );
  }));
  // Also what is gone again.
  for (const txid of txids) {
    const known = memory.listed.get(txid);
    if (known) known.isRead = true;
  }
}

/** Those that are still there, as their hashes say. */
async function read(
  node: BitcoinNode,
  txids: readonly string[],
  { hasMweb }: BitcoinNetwork,
): Promise<BitcoinTransaction[]> {
  const raws = await node.rawTransactions(txids);
  const found = await mapInPortions(raws, (raw, i) => {
    const tx = raw && readableIn(raw, hasMweb);
    // What moves only inside of an extension block has no hash that these bytes show.
    return tx?.txid === txids[i] ? tx : undefined;
  });
  return found.filter((tx) => tx !== undefined);
}

function readableIn(raw: Uint8Array, hasMweb: boolean): BitcoinTransaction | undefined {
  try {
    return readTransaction(raw, { hasMweb });
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** Without those that are too many. */
function withinLimits(
  own: readonly (readonly [BitcoinTransaction, readonly Payment[]])[],
  { ours }: MempoolMemory,
): (readonly [BitcoinTransaction, readonly Payment[]])[] {
  const counts = new Map<string, number>();
  const count = (address: string) => counts.get(address) ?? 0;
  const add = (address: string) => counts.set(address, count(address) + 1);
  for (const { to } of [...ours.values()].flat()) add(to);
  let left = OURS_MAX - ours.size;
  return own.flatMap(([tx, all]) => {
    const paid = all.slice(0, OUTPUTS_MAX).filter(({ address }) => {
      const isFew = left > 0 && count(address) < ADDRESS_MAX;
      if (isFew) add(address);
      return isFew;
    });
    if (paid.length === 0) return [];
    left--;
    return [[tx, paid] as const];
  });
}

/** By hash: one of our own addresses, if it spends what that has. */
async function sendersOf(
  transactions: readonly BitcoinTransaction[],
  { book, code }: Looking,
): Promise<ReadonlyMap<string, string>> {
  const spent = transactions.flatMap(({ txid: spender, inputs }) =>
    inputs.map(({ txid: txHash, vout: position }) => ({
      spender,
      outpoint: outpointOf({ txHash, position }),
    }))
  );
  const outpoints = spent.map(({ outpoint }) => outpoint);
  const found = outpoints.length === 0 ? [] : await book.at({ network: code, outpoints });
  const owners = new Map(found.map((output) => [outpointOf(output), output.address]));
  return new Map(spent.flatMap(({ spender, outpoint }) => {
    const owner = owners.get(outpoint);
    return owner === undefined ? [] : [[spender, owner] as const];
  }));
}

/** Those that are in no block either. */
async function ancestorsOf(
  node: BitcoinNode,
  tx: BitcoinTransaction,
  { network, memory }: Looking,
): Promise<BitcoinTransaction[]> {
  if (!tx.inputs.some(({ txid }) => memory.listed.has(txid))) return [];
  const found = await node.relatives(tx.txid, "ancestors");
  return await read(node, [...found?.keys() ?? []].slice(0, ANCESTORS_MAX), network);
}

function transfer(
  { tx, position, address, amountRaw }: Payment,
  from: { sender: string; inputs: readonly SpentOutput[] },
): Transfer {
  return transferOf({ txHash: tx.txid, position, address, amountRaw, maturesAt: null }, from);
}
