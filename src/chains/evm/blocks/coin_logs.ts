import { zip } from "../../../base/lists.ts";
import { NodeError } from "../../faults.ts";
import { quantity } from "../decode.ts";
import { readTransferLog } from "../erc20.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import type { EvmBlock, EvmTx } from "./decode_block.ts";
import type { EvmLog } from "./decode_receipt.ts";
import type { InnerPayment } from "./inner_payments.ts";

/**
 * Where a chain logs every movement of coins as if it were a token's (EIP-7708). These logs show
 * what contracts pay, and no traces are needed. Nobody can have code there, so no contract writes
 * such a log.
 */
export const COIN_LOGS = "0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE";

/** A chain that isn't proven by then is asked no more. */
const PROOFS_TRIED_MAX = 50;
/** Any of them may have got something that isn't logged, as whoever makes the block does. */
const LOOKED_AT = 3;

interface LoggedBlock {
  readonly block: EvmBlock;
  readonly coinLogs: readonly EvmLog[];
}

type Inner = ReadonlyMap<string, readonly InnerPayment[]>;

/** From which block on each node showed them. No node is believed for another one. */
export class CoinLogs {
  readonly #sinceBy = new Map<string, number>();
  readonly #triedBy = new Map<string, number>();

  isKnownAt(host: string, height: number): boolean {
    return height >= (this.#sinceBy.get(host) ?? Infinity);
  }

  /** How many nodes show them. */
  get witnesses(): number {
    return this.#sinceBy.size;
  }

  /** What contracts paid in this block; undefined if it isn't known that its logs tell. */
  async read(rpc: Rpc, scanned: LoggedBlock): Promise<Inner | undefined> {
    const { block, coinLogs } = scanned;
    if (this.isKnownAt(rpc.host, block.ref.height)) return innerOf(scanned);
    // Each transaction's own value is logged too, and proves nothing about what contracts pay.
    if (coinLogs.length <= block.txs.filter(({ valueRaw }) => valueRaw > 0n).length) {
      return undefined;
    }
    const tried = this.#triedBy.get(rpc.host) ?? 0;
    if (tried >= PROOFS_TRIED_MAX) return undefined;
    const inner = await proved(rpc, scanned);
    if (inner) this.#sinceBy.set(rpc.host, block.ref.height);
    else this.#triedBy.set(rpc.host, tried + 1);
    return inner;
  }
}

/** A chain may use such logs for something else; then they don't agree with the balances. */
async function proved(rpc: Rpc, scanned: LoggedBlock): Promise<Inner | undefined> {
  try {
    const inner = innerOf(scanned);
    return await agreesWithBalances(rpc, { ...scanned, inner }) ? inner : undefined;
  } catch (error) {
    // It may have forgotten the balances of so old a block.
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

function innerOf({ block, coinLogs }: LoggedBlock): Inner {
  const byTx = Map.groupBy(coinLogs, ({ txHash }) => txHash);
  return new Map(
    block.txs.flatMap((tx) => {
      const logs = byTx.get(tx.hash);
      return logs ? [[tx.hash, innerOfTx(tx, logs)]] : [];
    }),
  );
}

/** Numbered as frames of a trace: whoever reads the block by its traces finds the same payments. */
function innerOfTx(tx: EvmTx, logs: readonly EvmLog[]): InnerPayment[] {
  const moves = logs.toSorted((a, b) => a.index - b.index).map(moveOf)
    .filter(({ from, to, amountRaw }) => from !== to && amountRaw > 0n);
  if (tx.valueRaw > 0n && tx.from !== tx.to) {
    const own = moves.shift();
    const isOwn = own?.from === tx.from && own.amountRaw === tx.valueRaw &&
      (tx.to === null || own.to === tx.to);
    if (!isOwn) throw new NodeError(`The logs of ${tx.hash} don't begin with its own value`);
  }
  return moves.map((move, i) => ({ index: 1 + i, ...move }));
}

function moveOf(log: EvmLog): Omit<InnerPayment, "index"> {
  const move = readTransferLog(log);
  if (!move) throw new NodeError(`A log of coins in ${log.txHash} is not a transfer`);
  const { from, to, amountRaw } = move;
  return { from, to, amountRaw };
}

interface Proof extends LoggedBlock {
  readonly inner: Inner;
}

async function agreesWithBalances(rpc: Rpc, { block, coinLogs, inner }: Proof): Promise<boolean> {
  const senders = new Set(block.txs.map(({ from }) => from));
  const paid = new Set([...inner.values()].flat().map(({ to }) => to));
  const looked = [...paid].filter((to) => !senders.has(to)).slice(0, LOOKED_AT);
  if (looked.length === 0) return false;
  const answers = await rpc.results(looked.flatMap((address) => balancesAround(block, address)));
  const held = answers.map((answer) => quantity(answer, "a balance"));
  const moves = coinLogs.map(moveOf);
  return zip(looked, looked.map((_, i) => held[2 * i + 1]! - held[2 * i]!))
    .some(([address, gainedRaw]) => gainedRaw === sumOf(moves, address));
}

function balancesAround({ ref }: EvmBlock, address: string): RpcCall[] {
  return [ref.parentHash, ref.hash].map((blockHash) => ({
    method: "eth_getBalance",
    params: [address, { blockHash, requireCanonical: true }],
  }));
}

function sumOf(moves: readonly Omit<InnerPayment, "index">[], address: string): bigint {
  return moves.reduce(
    (sum, { from, to, amountRaw }) =>
      sum + (to === address ? amountRaw : 0n) - (from === address ? amountRaw : 0n),
    0n,
  );
}
