import type { Anvil, Reply } from "../support/nodes/anvil.ts";

/** One payment that the chain made: of coins at any depth of a call, or of the token by its log. */
export interface Movement {
  readonly hash: string;
  readonly height: number;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly raw: bigint;
}

export interface ChainBooks {
  readonly head: number;
  readonly movements: readonly Movement[];
  /** The fee that the sender of each transaction paid. */
  readonly feesRaw: ReadonlyMap<string, bigint>;
  balanceRaw(address: string, currency: string): Promise<bigint>;
}

export const DECIMALS: Readonly<Record<string, number>> = { ETH: 18, USDT: 6 };

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const BALANCE_OF = "0x70a08231";
const BLOCKS_AT_ONCE = 16;

/** All movements on the current chain, with addresses in lower case. */
export async function readChain(
  anvil: Anvil,
  { token: anyCase }: { token: string },
): Promise<ChainBooks> {
  const token = anyCase.toLowerCase();
  const head = Number(await anvil.rpc("eth_blockNumber"));
  const movements: Movement[] = [];
  const feesRaw = new Map<string, bigint>();
  for (let from = 0; from <= head; from += BLOCKS_AT_ONCE) {
    const heights = Array.from(
      { length: Math.min(BLOCKS_AT_ONCE, head - from + 1) },
      (_, i) => from + i,
    );
    for (
      const { receipts, traces } of await Promise.all(heights.map((at) => readBlock(anvil, at)))
    ) {
      const paid = receipts.filter(({ status }) => status === "0x1");
      const hashes = new Set(paid.map(({ transactionHash }) => transactionHash));
      for (const receipt of receipts) feesRaw.set(receipt.transactionHash, feeOf(receipt));
      const frames = traces.filter(({ transactionHash }) => hashes.has(transactionHash));
      movements.push(...frames.flatMap(coinsMoved));
      movements.push(...paid.flatMap(({ logs }) => logs as Reply[]).flatMap(tokensMoved(token)));
    }
  }
  const balanceRaw = async (address: string, currency: string) => {
    if (currency === "ETH") return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
    const data = `${BALANCE_OF}${address.slice(2).toLowerCase().padStart(64, "0")}`;
    return BigInt(await anvil.rpc("eth_call", [{ to: token, data }, "latest"]));
  };
  return { head, movements, feesRaw, balanceRaw };
}

async function readBlock(
  anvil: Anvil,
  height: number,
): Promise<{ receipts: Reply[]; traces: Reply[] }> {
  const at = `0x${height.toString(16)}`;
  const receipts = await anvil.rpc("eth_getBlockReceipts", [at]) ?? [];
  return { receipts, traces: receipts.length === 0 ? [] : await anvil.rpc("trace_block", [at]) };
}

function feeOf({ gasUsed, effectiveGasPrice }: Reply): bigint {
  return BigInt(gasUsed) * BigInt(effectiveGasPrice);
}

/** Every contract of a soak succeeds as a whole or not at all, so no frame fails alone. */
function coinsMoved({ type, action, transactionHash, blockNumber }: Reply): Movement[] {
  const isPayment = type === "call" && action.callType === "call" && BigInt(action.value) > 0n;
  if (!isPayment) return [];
  return [{
    hash: transactionHash,
    height: Number(blockNumber),
    currency: "ETH",
    from: action.from.toLowerCase(),
    to: action.to.toLowerCase(),
    raw: BigInt(action.value),
  }];
}

function tokensMoved(token: string) {
  return ({ address, topics, data, transactionHash, blockNumber }: Reply): Movement[] => {
    if (address.toLowerCase() !== token || topics[0] !== TRANSFER) return [];
    return [{
      hash: transactionHash,
      height: Number(blockNumber),
      currency: "USDT",
      from: `0x${topics[1].slice(26)}`,
      to: `0x${topics[2].slice(26)}`,
      raw: BigInt(data),
    }];
  };
}
