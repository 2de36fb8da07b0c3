import { RawTx } from "@scure/btc-signer";
import { sha256 } from "@noble/hashes/sha2.js";

/** Of one transaction, whoever wrote it. Hashes are written as nodes show them. */
export interface Tx {
  readonly txid: string;
  readonly wtxid: string;
  /** In hex. */
  readonly raw: string;
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly isCoinbase: boolean;
  /** It can't be in this block, nor in one before. */
  readonly notUpTo: number;
  readonly weight: number;
  readonly vsize: number;
}

interface Input {
  /** What it spends, as `txid:n`. */
  readonly outpoint: string;
  readonly txid: string;
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

export interface Output {
  readonly valueRaw: bigint;
  /** In hex. */
  readonly script: string;
}

const NOTHING = "0".repeat(64);
/** BIP-125: it may be replaced. */
const REPLACEABLE = 0xffff_fffd;
/** Of an input to which its transaction's time means nothing. */
const NEVER_MIND = 0xffff_ffff;

export function outpoint(txid: string, vout: number): string {
  return `${txid}:${vout}`;
}

function hashTwice(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** Throws on anything that isn't one. */
export function readTx(raw: string): Tx {
  const bytes = Uint8Array.fromHex(raw);
  const read = RawTx.decode(bytes);
  const { inputs, outputs, witnesses, segwitFlag } = read;
  if (inputs.length === 0) throw new Error("It spends nothing");
  const bare = RawTx.encode({ ...read, segwitFlag: false, witnesses: undefined });
  const txid = shownHash(hashTwice(bare));
  const weight = 3 * bare.length + bytes.length;
  const read1 = inputs.map(({ txid, index, sequence }, i): Input => ({
    ...{ txid: txid.toHex(), outpoint: outpoint(txid.toHex(), index), sequence },
    witness: witnesses?.[i] ?? [],
  }));
  return {
    txid,
    wtxid: segwitFlag ? shownHash(hashTwice(bytes)) : txid,
    raw,
    inputs: read1,
    outputs: outputs.map(({ amount, script }) => ({ valueRaw: amount, script: script.toHex() })),
    isCoinbase: read1[0]!.txid === NOTHING,
    notUpTo: read1.every(({ sequence }) => sequence === NEVER_MIND) ? 0 : read.lockTime,
    weight,
    vsize: Math.ceil(weight / 4),
  };
}

interface Draft {
  /** As `txid:n`. */
  readonly spends: readonly string[];
  readonly outputs: readonly Output[];
  /** Nodes don't let it be replaced. */
  readonly isFinal?: boolean;
}

/** As those write theirs whose signatures nobody checks here. */
export function writeTx({ spends, outputs, isFinal = false }: Draft): Tx {
  return written({
    inputs: spends.map((one) => {
      const [txid = "", vout] = one.split(":");
      return {
        ...{ txid: Uint8Array.fromHex(txid), index: Number(vout) },
        ...{ finalScriptSig: NO_BYTES, sequence: isFinal ? REPLACEABLE + 1 : REPLACEABLE },
      };
    }),
    outputs,
    witnesses: spends.map(() => [SIGNATURE]),
  });
}

const NO_BYTES = new Uint8Array(0);
const SIGNATURE = new Uint8Array(64).fill(7);

/** A block's first, which makes coins and commits to the signatures of the others. */
export function writeCoinbase(
  { height, salt, outputs, wtxids }: {
    readonly height: number;
    /** Makes it another one than that of the same height on another branch. */
    readonly salt: number;
    readonly outputs: readonly Output[];
    readonly wtxids: readonly string[];
  },
): Tx {
  const reserved = new Uint8Array(32);
  const root = merkleRoot([NOTHING, ...wtxids]);
  const commitment = hashTwice(new Uint8Array([...hashBytes(root), ...reserved])).toHex();
  const finalScriptSig = new Uint8Array([4, ...little(height, 4), 4, ...little(salt, 4)]);
  return written({
    inputs: [{
      ...{ txid: Uint8Array.fromHex(NOTHING), index: 0xffff_ffff, finalScriptSig },
      sequence: 0xffff_ffff,
    }],
    outputs: [...outputs, { valueRaw: 0n, script: `6a24aa21a9ed${commitment}` }],
    witnesses: [[reserved]],
  });
}

function written(
  { inputs, outputs, witnesses }: {
    readonly inputs: {
      readonly txid: Uint8Array;
      readonly index: number;
      readonly finalScriptSig: Uint8Array;
      readonly sequence: number;
    }[];
    readonly outputs: readonly Output[];
    readonly witnesses: Uint8Array[][];
  },
): Tx {
  const bytes = RawTx.encode({
    ...{ version: 2, segwitFlag: true, lockTime: 0, inputs, witnesses },
    outputs: outputs.map(({ valueRaw, script }) => ({
      amount: valueRaw,
      script: Uint8Array.fromHex(script),
    })),
  });
  return readTx(bytes.toHex());
}

interface HeaderFields {
  readonly parentHash: string;
  readonly txids: readonly string[];
  readonly atMs: number;
}

export function writeHeader({ parentHash, txids, atMs }: HeaderFields): Uint8Array {
  return new Uint8Array([
    ...little(0x2000_0000, 4),
    ...hashBytes(parentHash),
    ...hashBytes(merkleRoot(txids)),
    ...little(Math.floor(atMs / 1_000), 4),
    ...little(0x207f_ffff, 4),
    ...little(0, 4),
  ]);
}

export function hashOfHeader(header: Uint8Array): string {
  return shownHash(hashTwice(header));
}

/** As it is on the wire, in hex. */
export function writeBlock(header: Uint8Array, txs: readonly Tx[]): string {
  const count = txs.length < 0xfd ? [txs.length] : [0xfd, ...little(txs.length, 2)];
  return header.toHex() + new Uint8Array(count).toHex() + txs.map(({ raw }) => raw).join("");
}

function merkleRoot(hashes: readonly string[]): string {
  let level = hashes.map(hashBytes);
  while (level.length > 1) {
    const pairs: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      pairs.push(hashTwice(new Uint8Array([...level[i]!, ...level[i + 1] ?? level[i]!])));
    }
    level = pairs;
  }
  return shownHash(level[0]!);
}

function little(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

function hashBytes(shown: string): Uint8Array {
  return Uint8Array.fromHex(shown).reverse();
}

function shownHash(bytes: Uint8Array): string {
  return bytes.toReversed().toHex();
}
