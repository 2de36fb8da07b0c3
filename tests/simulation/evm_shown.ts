import {
  BLOCK_GAS,
  createdBy,
  type EvmBlock,
  type EvmTransaction,
  type Included,
} from "./evm_chain.ts";

/** As nodes show blocks, transactions and receipts. */
export function shownBlock(block: EvmBlock, hasTransactions: boolean): Record<string, unknown> {
  const { height, hash, parent, atMs, baseFeeRaw, included, bloom } = block;
  return {
    number: hex(height),
    hash,
    parentHash: parent?.hash ?? ZERO_HASH,
    timestamp: hex(Math.floor(atMs / 1000)),
    baseFeePerGas: hex(baseFeeRaw),
    gasLimit: hex(BLOCK_GAS),
    gasUsed: hex(included.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)),
    logsBloom: bloom,
    transactionsRoot: included.length === 0 ? EMPTY_ROOT : hash,
    transactions: hasTransactions
      ? included.map((_, index) => shownTx(block, index))
      : included.map(({ tx }) => tx.hash),
  };
}

export function shownTx(block: EvmBlock, index: number): Record<string, unknown> {
  const { tx, priceRaw } = block.included[index]!;
  return {
    ...shownTxFields(tx),
    blockHash: block.hash,
    blockNumber: hex(block.height),
    transactionIndex: hex(index),
    gasPrice: hex(priceRaw),
  };
}

export function shownTxFields(tx: EvmTransaction): Record<string, unknown> {
  const { signature: { r, s, yParity }, authorizations } = tx;
  return {
    hash: tx.hash,
    type: typeOf(tx),
    ...authorizations.length === 0 ? {} : {
      authorizationList: authorizations.map(({ chainId, delegate, nonce, signature }) => ({
        chainId: hex(chainId),
        address: delegate,
        nonce: hex(nonce),
        yParity: hex(signature.yParity),
        r: hex(BigInt(signature.r)),
        s: hex(BigInt(signature.s)),
      })),
    },
    chainId: hex(tx.chainId),
    from: tx.from,
    to: tx.to,
    nonce: hex(tx.nonce),
    value: hex(tx.valueRaw),
    input: tx.data,
    gas: hex(tx.gas),
    maxFeePerGas: hex(tx.maxFeeRaw),
    maxPriorityFeePerGas: hex(tx.tipRaw),
    gasPrice: hex(tx.maxFeeRaw),
    accessList: [],
    blockHash: null,
    blockNumber: null,
    r: hex(BigInt(r)),
    s: hex(BigInt(s)),
    v: hex(yParity),
    yParity: hex(yParity),
  };
}

interface ShownReceipt extends Record<string, unknown> {
  readonly logs:
    readonly (Record<string, unknown> & { address: string; topics: readonly string[] })[];
}

export function shownReceipts(block: EvmBlock): ShownReceipt[] {
  let logIndex = 0;
  return block.included.map((included, index) =>
    shownReceipt(included, { block, index }, () => logIndex++)
  );
}

function shownReceipt(
  { tx, succeeded, gasUsed, priceRaw, logs }: Included,
  { block, index }: { block: EvmBlock; index: number },
  nextLog: () => number,
): ShownReceipt {
  const place = {
    blockHash: block.hash,
    blockNumber: hex(block.height),
    transactionHash: tx.hash,
    transactionIndex: hex(index),
  };
  return {
    ...place,
    type: typeOf(tx),
    from: tx.from,
    to: tx.to,
    status: succeeded ? "0x1" : "0x0",
    gasUsed: hex(gasUsed),
    cumulativeGasUsed: hex(gasUsed),
    effectiveGasPrice: hex(priceRaw),
    contractAddress: tx.to === null ? createdBy(tx.from, tx.nonce) : null,
    logs: logs.map((log) => ({ ...log, ...place, logIndex: hex(nextLog()), removed: false })),
  };
}

function typeOf({ authorizations }: EvmTransaction): string {
  return authorizations.length === 0 ? "0x2" : "0x4";
}

const ZERO_HASH = `0x${"0".repeat(64)}`;
const EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

export function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

export function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
