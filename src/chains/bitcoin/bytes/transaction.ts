import { toHex } from "../../../base/bytes.ts";
import { hashText, malformed, Reader } from "./reader.ts";
import { sha256Twice } from "./hashes.ts";

export interface BitcoinTransaction {
  readonly txid: string;
  /** With signatures; the same as the txid where they aren't apart. */
  readonly wtxid: string;
  readonly version: number;
  readonly lockTime: number;
  /** None of a coinbase, which makes new coins. */
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly isCoinbase: boolean;
  /** Pays out of the extension block, for which it is the last of its block. */
  readonly isHogEx: boolean;
  /** For miners, without what of it is in the extension block. */
  readonly weight: number;
}

interface Input {
  /** The output that it spends. */
  readonly txid: string;
  readonly vout: number;
  readonly sequence: number;
}

interface Output {
  readonly valueRaw: bigint;
  /** In hex. */
  readonly script: string;
}

/** A transaction in a block, with what the block is checked by. */
export interface ReadTransaction extends BitcoinTransaction {
  readonly txidBytes: Uint8Array;
  readonly wtxidBytes: Uint8Array;
  /** Of its first input. A coinbase keeps there what its commitment is made with. */
  readonly witness: readonly Uint8Array[] | undefined;
}

/** How transactions are written where this one is. */
export interface Form {
  readonly hasMweb: boolean;
  readonly isInBlock: boolean;
}

const [SEGWIT, MWEB] = [1, 8];
const [INPUT_BYTES_MIN, OUTPUT_BYTES_MIN] = [41, 9];
const NOTHING = "0".repeat(64);
const NO_OUTPUT = 0xffff_ffff;
/** More than there will ever be of either coin. */
const VALUE_MAX = 84_000_000 * 1e8;

/**
 * A transaction that stands alone, as in a mempool. Throws a NodeError for anything else. Undefined
 * if all of it is in Litecoin's extension block: nothing of it is ours, and its name isn't here.
 */
export function readTransaction(
  bytes: Uint8Array,
  { hasMweb }: { hasMweb: boolean },
): BitcoinTransaction | undefined {
  const reader = new Reader(bytes);
  const read = readNext(reader, { hasMweb, isInBlock: false });
  if (reader.left > 0) throw malformed(`${reader.left} bytes after a transaction`);
  const isHidden = read.inputs.length === 0 && !read.isCoinbase;
  return isHidden ? undefined : withoutProof(read);
}

export function withoutProof(
  { txidBytes: _, wtxidBytes: __, witness: ___, ...transaction }: ReadTransaction,
): BitcoinTransaction {
  return transaction;
}

export function readNext(reader: Reader, form: Form): ReadTransaction {
  const start = reader.at;
  const version = reader.uint32();
  const flags = readFlags(reader, form);
  const bodyAt = reader.at;
  const inputs = readInputs(reader);
  const outputs = readOutputs(reader);
  const bodyEnd = reader.at;
  const witness = (flags & SEGWIT) === 0 ? undefined : readWitnesses(reader, inputs.length);
  const witnessEnd = reader.at;
  const isHogEx = (flags & MWEB) !== 0 && readMweb(reader, form);
  if (inputs.length === 0 && (flags & MWEB) === 0) throw malformed("a transaction without inputs");
  if (inputs.length === 0 && (isHogEx || outputs.length > 0)) {
    throw malformed("a transaction that pays from nothing");
  }
  if (isHogEx && outputs.length === 0) throw malformed("an extension block that is nowhere kept");
  const lockTimeAt = reader.at;
  const lockTime = reader.uint32();
  const { bytes } = reader;
  const between = (from: number, to: number) => bytes.subarray(from, to);
  const ends = [between(start, start + 4), between(lockTimeAt, reader.at)] as const;
  const txidBytes = flags === 0
    ? sha256Twice([between(start, reader.at)])
    : sha256Twice([ends[0], between(bodyAt, bodyEnd), ends[1]]);
  const wtxidBytes = witness === undefined
    ? txidBytes
    : flags === SEGWIT
    ? sha256Twice([between(start, reader.at)])
    : sha256Twice([ends[0], SEGWIT_MARK, between(bodyAt, witnessEnd), ends[1]]);
  const isCoinbase = inputs.length === 1 && isNothing(inputs[0]!);
  const txid = hashText(txidBytes);
  const plain = 8 + bodyEnd - bodyAt;
  return {
    txid,
    wtxid: witness === undefined ? txid : hashText(wtxidBytes),
    version,
    lockTime,
    inputs: isCoinbase ? [] : inputs,
    outputs,
    isCoinbase,
    isHogEx,
    weight: 4 * plain + (witness === undefined ? 0 : 2 + witnessEnd - bodyEnd),
    txidBytes,
    wtxidBytes,
    witness,
  };
}

const SEGWIT_MARK = new Uint8Array([0, SEGWIT]);

/** An empty list of inputs says that flags and the real one follow. */
function readFlags(reader: Reader, { hasMweb }: Form): number {
  const { bytes, at } = reader;
  if (bytes[at] !== 0) return 0;
  reader.byte();
  const flags = reader.byte();
  const known = hasMweb ? SEGWIT | MWEB : SEGWIT;
  if (flags === 0 || (flags & ~known) !== 0) throw malformed(`a transaction with flags ${flags}`);
  return flags;
}

function readInputs(reader: Reader): Input[] {
  const inputs: Input[] = [];
  for (let left = reader.count(INPUT_BYTES_MIN); left > 0; left--) {
    const txid = reader.hash();
    const vout = reader.uint32();
    reader.text();
    inputs.push({ txid, vout, sequence: reader.uint32() });
  }
  return inputs;
}

function readOutputs(reader: Reader): Output[] {
  const outputs: Output[] = [];
  for (let left = reader.count(OUTPUT_BYTES_MIN); left > 0; left--) {
    const value = reader.uint64();
    if (value > VALUE_MAX) throw malformed(`an output of ${value}`);
    outputs.push({ valueRaw: BigInt(value), script: toHex(reader.text()) });
  }
  return outputs;
}

function readWitnesses(reader: Reader, inputs: number): readonly Uint8Array[] {
  let first: Uint8Array[] | undefined;
  let items = 0;
  for (let i = 0; i < inputs; i++) {
    const texts: Uint8Array[] = [];
    for (let left = reader.count(1); left > 0; left--) {
      const text = reader.text();
      items++;
      if (i === 0) texts.push(text);
    }
    first ??= texts;
  }
  if (items === 0) throw malformed("a transaction that says without need that it is signed apart");
  return first ?? [];
}

/**
 * Of what a transaction moves inside of the extension block, nothing is ours. One without any is
 * the block's, of which the extension block follows after the transactions.
 */
function readMweb(reader: Reader, { isInBlock }: Form): boolean {
  const hasOwn = reader.byte();
  if (hasOwn === 0) return true;
  if (hasOwn !== 1 || isInBlock) throw malformed("a part of an extension block where none may be");
  reader.take(Math.max(0, reader.left - 4));
  return false;
}

function isNothing({ txid, vout }: Input): boolean {
  return vout === NO_OUTPUT && txid === NOTHING;
}
