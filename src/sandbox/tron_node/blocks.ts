import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../base/bytes.ts";
import { at, first } from "../../base/lists.ts";
import { addressOfKey, concat, keyOf, signHash } from "./addresses.ts";
import type { Entry } from "./account.ts";
import type { Layer } from "./ledger.ts";
import { encode, hexBytes, print } from "./api/proto.ts";
import type { Message } from "./api/values.ts";
import { HEADER, HEADER_RAW, TRANSACTION } from "./api/schemas.ts";
import { printTransaction, type Transaction } from "./transactions.ts";

const WITNESSES = 27;
const BLOCK_VERSION = 34;

export interface Block {
  readonly number: number;
  readonly id: string;
  readonly timestampMs: number;
  readonly header: Message;
  readonly transactions: readonly Transaction[];
  readonly infos: readonly Message[];
  /** Undoes its changes. */
  readonly undo: Layer<Entry>;
}

interface Witness {
  readonly key: Uint8Array;
  readonly address: string;
}

interface BlockContent {
  readonly number: number;
  readonly timestampMs: number;
  readonly parentId: string;
  /** Another witness than the slot's makes another block of the same content. */
  readonly witness: Witness;
  readonly transactions: readonly Transaction[];
}

export function makeWitnesses(): readonly Witness[] {
  return Array.from({ length: WITNESSES }, (_, i) => witnessOf(i));
}

function witnessOf(i: number): Witness {
  const key = keyOf(`witness ${i}`);
  return { key, address: addressOfKey(key) };
}

/** Genesis. Each text makes a different one; `id` replaces its own id. */
export function firstBlock(
  { genesis, genesisId, undo }: {
    readonly genesis: string;
    readonly genesisId?: string | undefined;
    readonly undo: Layer<Entry>;
  },
): Block {
  const parentId = toHex(sha256(utf8(genesis)));
  const witness = witnessOf(0);
  const content = { number: 0, timestampMs: 0, parentId, witness, transactions: [] };
  const { id, header } = sealBlock(content);
  return {
    number: 0,
    id: genesisId ?? id,
    timestampMs: 0,
    header,
    transactions: [],
    infos: [],
    undo,
  };
}

/** The header, and the id: SHA-256 of it with the height in the place of its first eight bytes. */
export function sealBlock(
  { number, timestampMs, parentId, witness, transactions }: BlockContent,
): { readonly id: string; readonly header: Message } {
  const raw: Message = {
    number: BigInt(number),
    txTrieRoot: toHex(merkleRoot(transactions.map(leafOf))),
    witness_address: witness.address,
    parentHash: parentId,
    version: BLOCK_VERSION,
    timestamp: BigInt(timestampMs),
  };
  const hash = sha256(encode(HEADER_RAW, raw));
  const id = number.toString(16).padStart(16, "0") + toHex(hash.slice(8));
  return { id, header: { raw_data: raw, witness_signature: signHash(hash, witness.key) } };
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
      const [left, right] = [at(level, i), level[i + 1]];
      pairs.push(right ? sha256(concat(left, right)) : left);
    }
    level = pairs;
  }
  return first(level);
}
