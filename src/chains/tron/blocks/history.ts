import { Lru } from "../../../base/lru.ts";
import type { BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import type { TronBlock } from "./decode_block.ts";
import type { TronNode } from "../node.ts";
import { hasSucceeded } from "./payments.ts";
import { scanBlocks } from "./scan_blocks.ts";
import { TRANSFER, TRIGGER } from "../transfers/transaction.ts";
import { readTransferLog } from "../trc20.ts";

const BLOCKS_KEPT_MAX = 256;
const BLOCKS_BETWEEN_MAX = 100;

/** How a block changed balances; keys are those of `slotOf`. */
export interface Effects {
  readonly changes: ReadonlyMap<string, bigint>;
  /** Addresses whose coins moved by an amount the block doesn't state. */
  readonly unclear: ReadonlySet<string>;
}

/** Changes block by block, so that a known balance leads to the balance at other blocks. */
export interface History {
  note(blocks: readonly TronBlock[]): void;
  /** The changes above `below` up to `top`, which must descend from it. */
  between(node: TronNode, span: { below: BlockAt; top: BlockAt }): Promise<readonly Effects[]>;
}

interface Link extends Effects {
  readonly parentHash: string;
}

export function createHistory(): History {
  const links = new Lru<string, Link>(BLOCKS_KEPT_MAX);
  let newest = 0;

  function note(blocks: readonly TronBlock[]): void {
    for (const block of blocks) {
      const { hash, parentHash, height } = block.header;
      if (!links.get(hash)) links.set(hash, { parentHash, ...effectsOf(block) });
      newest = height;
    }
  }

  function pathOf({ below, top }: { below: BlockAt; top: BlockAt }): Effects[] | undefined {
    const path: Effects[] = [];
    let hash = top.hash;
    for (let height = top.height; height > below.height; height--) {
      const link = links.get(hash);
      if (!link) return undefined;
      path.push(link);
      hash = link.parentHash;
    }
    return hash === below.hash ? path : undefined;
  }

  return {
    note,
    between: async (node, { below, top }) => {
      const first = below.height + 1;
      if (top.height - below.height > BLOCKS_BETWEEN_MAX) {
        throw new NodeError(`Block ${below.height} is too far below ${top.height} to compare`);
      }
      // Usually only the newest blocks are missing.
      for (const from of [top.height + 1, Math.max(first, newest + 1), first]) {
        if (from <= top.height) note(await scanBlocks(node, { from, to: top.height }));
        const path = pathOf({ below, top });
        if (path) return path;
      }
      throw new NodeError(`${node.host} has no chain from ${below.hash} to ${top.hash}`);
    },
  };
}

/** Addresses are hex; null is the native coin. */
export function slotOf(owner: string, contract: string | null): string {
  return `${owner}/${contract ?? ""}`;
}

function effectsOf({ txs }: TronBlock): Effects {
  const changes = new Map<string, bigint>();
  const unclear = new Set<string>();
  const move = (contract: string | null, payment: Movement) => {
    add(changes, slotOf(payment.from, contract), -payment.amountRaw);
    add(changes, slotOf(payment.to, contract), payment.amountRaw);
  };
  for (const tx of txs) {
    const { raw: { type, owner, transfer, trigger, stake }, info } = tx;
    if (owner !== null) add(changes, slotOf(owner, null), -info.feeRaw);
    const isClear = type === TRANSFER || type === TRIGGER || stake !== null;
    if (owner !== null && !isClear) unclear.add(slotOf(owner, null));
    if (!hasSucceeded(tx)) continue;
    if (owner !== null && stake?.kind === "stake") {
      add(changes, slotOf(owner, null), -stake.amountRaw);
    }
    // Every change of a stake but the first may pay out what has waited long enough.
    if (owner !== null && stake) add(changes, slotOf(owner, null), info.collectedRaw);
    if (owner !== null && transfer) move(null, { from: owner, ...transfer });
    if (owner !== null && trigger) {
      move(null, { from: owner, to: trigger.contract, amountRaw: trigger.valueRaw });
    }
    for (const payment of info.inner ?? []) move(null, payment);
    for (const log of info.logs) {
      const payment = readTransferLog(log);
      if (payment) move(payment.contract, payment);
    }
  }
  return { changes, unclear };
}

interface Movement {
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

function add(changes: Map<string, bigint>, slot: string, raw: bigint): void {
  if (raw !== 0n) changes.set(slot, (changes.get(slot) ?? 0n) + raw);
}
