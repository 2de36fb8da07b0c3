import { zip } from "../../base/lists.ts";
import type { BalanceAsked, BlockAt } from "../chain.ts";
import { asNoBalance, NodeError } from "../faults.ts";
import { readAgreed } from "../pool/agreed.ts";
import type { Pool } from "../pool/endpoints.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import { coinsOn } from "./account.ts";
import { hexOfAddress } from "./address.ts";
import { type Effects, type History, slotOf } from "./blocks/history.ts";
import type { TronNode } from "./node.ts";
import { headerOn, solidOn } from "./refs.ts";
import { balanceOn } from "./trc20.ts";

const CALLS_AT_ONCE = 8;
const READINGS_MAX = 4;

/** All balances come from one node; with a quorum, that many must agree about them. */
export async function readBalancesAt(
  pool: Pool<TronNode>,
  { block, asked, history }: { block: BlockAt; asked: readonly BalanceAsked[]; history: History },
): Promise<bigint[]> {
  const ask = async (node: TronNode) => {
    const there = await headerOn(node, block.height);
    const wanted = { block, asked, history };
    if (there?.hash === block.hash) return await balancesOn(node, wanted).catch(asNoBalance);
    throw new NodeError(`${node.host} does not have block ${block.hash}`);
  };
  return await readAgreed(pool, { height: block.height, ask, textOf: String });
}

/**
 * Nodes know balances at two moments only: now, with pending transactions already subtracted, and
 * at the newest solid block. From the latter, the blocks in between lead to any other block.
 */
export async function balancesOn(
  node: TronNode,
  { block, asked, history }: { block: BlockAt; asked: readonly BalanceAsked[]; history: History },
): Promise<bigint[]> {
  const slots = asked.map(({ address, contract }): Slot => ({
    owner: hexOfAddress(address),
    contract: contract === null ? null : hexOfAddress(contract),
  }));
  const known = await solidBalances(node, { slots, history });
  const paths = new Map<string, Promise<Path>>();
  return await Promise.all(
    zip(slots, known).map(async ([{ owner, contract }, { raw, at }]) => {
      const finding = paths.get(at.hash) ?? pathOn(node, { from: at, to: block, history });
      paths.set(at.hash, finding);
      const { sign, effects } = await finding;
      return raw + sign * changeOf(effects, slotOf(owner, contract));
    }),
  );
}

interface Slot {
  readonly owner: string;
  readonly contract: string | null;
}

interface Known {
  readonly raw: bigint;
  readonly at: BlockAt;
}

/** Each is read at a block of its own; if it changed while being read, it is read again. */
async function solidBalances(
  node: TronNode,
  { slots, history }: { slots: readonly Slot[]; history: History },
): Promise<Known[]> {
  const known = new Map<Slot, Known>();
  for (let reading = 1; reading <= READINGS_MAX; reading++) {
    const unread = slots.filter((slot) => !known.has(slot));
    if (unread.length === 0) break;
    const before = await solidOn(node);
    const balances = await mapBounded(unread, {
      concurrencyMax: CALLS_AT_ONCE,
      work: (slot) => solidBalance(node, slot),
    });
    const at = await solidOn(node);
    const meanwhile = await history.between(node, { below: before, top: at });
    for (const [slot, raw] of zip(unread, balances)) {
      const key = slotOf(slot.owner, slot.contract);
      const isUsed = meanwhile.some(({ changes, unclear }) => changes.has(key) || unclear.has(key));
      if (!isUsed) known.set(slot, { raw, at });
    }
  }
  return slots.map((slot) => {
    const balance = known.get(slot);
    if (balance) return balance;
    throw new NodeError(`A balance of ${node.host} is used in every block`);
  });
}

function solidBalance(node: TronNode, { owner, contract }: Slot): Promise<bigint> {
  const view = "walletsolidity";
  return contract === null
    ? coinsOn(node, { address: owner, view })
    : balanceOn(node, { owner, contract, view });
}

interface Path {
  readonly sign: 1n | -1n;
  readonly effects: readonly Effects[];
}

/** The block may be above the solid one, or below it if our own reading is behind. */
async function pathOn(
  node: TronNode,
  { from, to, history }: { from: BlockAt; to: BlockAt; history: History },
): Promise<Path> {
  return from.height <= to.height
    ? { sign: 1n, effects: await history.between(node, { below: from, top: to }) }
    : { sign: -1n, effects: await history.between(node, { below: to, top: from }) };
}

function changeOf(effects: readonly Effects[], slot: string): bigint {
  if (effects.some(({ unclear }) => unclear.has(slot))) {
    throw new NodeError("An account did what no block puts a number on: its balance is not known");
  }
  return effects.reduce((sum, { changes }) => sum + (changes.get(slot) ?? 0n), 0n);
}
