import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../../../src/base/bytes.ts";
import { addressOfKey, concat, keyOf, signHash } from "./addresses.ts";
import type { Layer } from "./ledger.ts";
import { encode, hexBytes, type Message, print } from "./api/proto.ts";
import { HEADER, HEADER_RAW, TRANSACTION } from "./api/schemas.ts";
import { printTransaction, type Transaction } from "./transactions.ts";

const WITNESSES = 27;
const BLOCK_VERSION = 34;
const witnesses = Array.from({ length: WITNESSES }, (_, i) => keyOf(`witness ${i}`));
const witnessAddresses = witnesses.map(addressOfKey);

export interface Block {
  readonly number: number;
  readonly id: string;
  readonly timestampMs: number;
  readonly header: Message;
  readonly transactions: readonly Transaction[];
  readonly infos: readonly Message[];
  /** Undoes its changes. */
  readonly undo: Layer;
}

interface BlockContent {
  readonly number: number;
  readonly timestampMs: number;
  readonly parentId: string;
  /** Another witness than the slot's makes another block of the same content. */
  readonly witness: number;
  readonly transactions: readonly Transaction[];
}

/** The header, and the id: SHA-256 of it with the height in the place of its first eight bytes. */
export function sealBlock(
  { number, timestampMs, parentId, witness, transactions }: BlockContent,
): { readonly id: string; readonly header: Message } {
  const index = witness % WITNESSES;
  const raw: Message = {
    number: BigInt(number),
    txTrieRoot: toHex(merkleRoot(transactions.map(leafOf))),
    witness_address: witnessAddresses[index]!,
    parentHash: parentId,
    version: BLOCK_VERSION,
    timestamp: BigInt(timestampMs),
  };
  const hash = sha256(encode(HEADER_RAW, raw));
  const id = number.toString(16).padStart(16, "0") + toHex(hash.slice(8));
  return { id, header: { raw_data: raw, witness_signature: signHash(hash, witnesses[index]!) } };
}

export function printBlock(
  block: Block,
  { visible, isWhole }: { readonly visible: boolean; readonly isWhole: boolean },
): Message {
  return {
    blockID: block.id,
    block_header: print(HEADER, block.header, visible),
    ...(isWhole && block.transactions.length > 0 && {
      transactions: block.transactions.map((each) => printTransaction(each, visible)),
    }),
  };
}

function leafOf({ rawBytes, signatures, ret }: Transaction): Uint8Array {
  return sha256(encode(TRANSACTION, {
    raw_data: toHex(rawBytes),
    signature: signatures.map(toHex),
    ret: [ret],
  }));
}

function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return hexBytes("00".repeat(32));
  let level = leaves;
  while (level.length > 1) {
    const pairs: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = [level[i]!, level[i + 1]];
      pairs.push(right ? sha256(concat(left, right)) : left);
    }
    level = pairs;
  }
  return level[0]!;
}
