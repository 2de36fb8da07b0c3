import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import type { BlockOfIds, Header, ListedTransaction } from "./block.ts";
import { hash32, list, record } from "../decode.ts";
import type { TransactionInfo } from "./decode_info.ts";
import { decodeHeader } from "../refs.ts";
import { decodeRaw, reportedBytes } from "../transfers/transaction.ts";

export interface TronTransaction extends ListedTransaction {
  readonly info: TransactionInfo;
}

export interface TronBlock {
  readonly header: Header;
  readonly txs: readonly TronTransaction[];
}

/** A block of two megabytes has room for half as many. */
const TRANSACTIONS_MAX = 20_000;
/** The root in an empty block; some nodes leave it out. */
const NO_TRANSACTIONS: readonly unknown[] = ["0".repeat(64), "", undefined];

export async function decodeBlock(value: unknown): Promise<BlockOfIds> {
  const header = decodeHeader(value);
  const { transactions, block_header } = record(value, "a block");
  const listed = list(transactions ?? [], "a block's transactions");
  if (listed.length > TRANSACTIONS_MAX) {
    throw new NodeError(`Block ${header.height} has ${listed.length} transactions, more than fit`);
  }
  const txs = await mapInPortions(listed, decodeListed);
  const { raw_data } = record(block_header, "a block's header");
  const { txTrieRoot } = record(raw_data, "a block's header");
  if (txs.length === 0 && !NO_TRANSACTIONS.includes(txTrieRoot)) {
    throw new NodeError(`Block ${header.height} has a root of transactions, and none of them`);
  }
  if (new Set(txs.map(({ txHash }) => txHash)).size !== txs.length) {
    throw new NodeError(`Block ${header.height} has a transaction twice`);
  }
  return { header, txs };
}

/** The content comes from the bytes whose hash is the id, never from the node's JSON. */
function decodeListed(value: unknown): ListedTransaction {
  const { txID, raw_data_hex, ret } = record(value, "a transaction");
  const txHash = hash32(txID, "a transaction's id");
  const bytes = reportedBytes(raw_data_hex, txHash);
  const [end] = list(ret ?? [], "a transaction's end").map((item) => record(item, "its end"));
  return { txHash, raw: decodeRaw(bytes), contractRet: end?.contractRet };
}

/**
 * A block's results come without its id, and an empty list may also mean that the node lacks the
 * block. So they count only if they match exactly its transactions and its time.
 */
export function withInfos(
  { header, txs }: BlockOfIds,
  infos: readonly TransactionInfo[],
): TronBlock {
  const byHash = new Map(infos.map((info) => [info.txHash, info]));
  const isOfIt = infos.length === txs.length && byHash.size === txs.length &&
    infos.every(({ height, atMs }) => height === header.height && atMs === header.atMs);
  return {
    header,
    txs: txs.map((tx) => {
      const info = byHash.get(tx.txHash);
      if (isOfIt && info) return { ...tx, info };
      throw new NodeError(`The results of block ${header.height} are not those of ${header.hash}`);
    }),
  };
}
