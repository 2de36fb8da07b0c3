import { ECDH } from "node:crypto";
import { ripemd160 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bech32, bech32m, createBase58check } from "@scure/base";
import { invariant, present } from "../../base/assert.ts";
import { fromHex, joined, toHex } from "../../base/bytes.ts";
import type { BitcoinNetwork } from "./params.ts";

type AddressForm = "p2pkh" | "p2sh" | "p2wpkh" | "p2wsh" | "p2tr";

interface ReadAddress {
  readonly form: AddressForm;
  /** What an output to it says, in hex. */
  readonly script: string;
}

const base58check = createBase58check(sha256);
/** What stands before and after the hash or key in an output's script. */
const SCRIPTS: Readonly<Record<AddressForm, { head: readonly number[]; tail: readonly number[] }>> =
  {
    p2pkh: { head: [0x76, 0xa9, 20], tail: [0x88, 0xac] },
    p2sh: { head: [0xa9, 20], tail: [0x87] },
    p2wpkh: { head: [0x00, 20], tail: [] },
    p2wsh: { head: [0x00, 32], tail: [] },
    p2tr: { head: [0x51, 32], tail: [] },
  };
const FORMS = Object.keys(SCRIPTS) as readonly AddressForm[];
const WITNESS_FORMS: readonly AddressForm[] = ["p2wpkh", "p2wsh", "p2tr"];
const HASH_BYTES = 20;

/** Undefined unless it is an address of this network that can be paid from an ordinary output. */
export function readAddress(text: string, network: BitcoinNetwork): ReadAddress | undefined {
  return text.toLowerCase().startsWith(`${network.hrp}1`)
    ? readWitness(text, network)
    : readBase58(text, network);
}

/** The form that is stored: lower case, and Litecoin's P2SH as "M…". */
export function canonicalAddress(text: string, network: BitcoinNetwork): string {
  const { script } = present(readAddress(text, network), `Not an address: ${text}`);
  return present(addressOfScript(script, network), "An address's script has an address");
}

/** Undefined if no address stands for this script. */
export function addressOfScript(
  hex: string,
  { hrp, p2pkhVersion, p2shVersions }: BitcoinNetwork,
): string | undefined {
  const script = fromHex(hex);
  const form = script && formOf(script);
  if (!form) return undefined;
  const { head, tail } = SCRIPTS[form];
  const payload = script.subarray(head.length, script.length - tail.length);
  if (form === "p2pkh" || form === "p2sh") {
    const version = form === "p2pkh" ? p2pkhVersion : p2shVersions[0]!;
    return base58check.encode(joined([new Uint8Array([version]), payload]));
  }
  return form === "p2tr"
    ? bech32m.encode(hrp, [1, ...bech32m.toWords(payload)])
    : bech32.encode(hrp, [0, ...bech32.toWords(payload)]);
}

/** BIP-84, for a secp256k1 point in either encoding. Throws if it is not on the curve. */
export function p2wpkhAddress(publicKey: Uint8Array, network: BitcoinNetwork): string {
  return present(addressOfScript(p2wpkhScript(publicKey), network), "A P2WPKH has an address");
}

export function p2wpkhScript(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "compressed");
  invariant(point instanceof Uint8Array, "Without an encoding a key comes back as bytes");
  return scriptOf("p2wpkh", hash160(point));
}

/** BIP-49: the same, inside of a script's hash. */
export function p2shP2wpkhAddress(publicKey: Uint8Array, network: BitcoinNetwork): string {
  const inner = present(fromHex(p2wpkhScript(publicKey)), "A script is hex");
  const script = scriptOf("p2sh", hash160(inner));
  return present(addressOfScript(script, network), "A P2SH has an address");
}

/** What an output with this script must hold, or nodes don't pass its transaction on. */
export function dustLimit(script: string, { dustRawPerByte }: BitcoinNetwork): bigint {
  const bytes = present(fromHex(script), "A script is hex");
  const form = present(formOf(bytes), "Dust limits are known of scripts that have an address");
  // Its own bytes, and those of an input that spends it; a witness counts a quarter.
  const spentBy = WITNESS_FORMS.includes(form) ? 67 : 148;
  return BigInt(9 + bytes.length + spentBy) * dustRawPerByte;
}

function readWitness(text: string, { hrp }: BitcoinNetwork): ReadAddress | undefined {
  // Both refuse mixed case; an address has one checksum or the other.
  const [version, ...words] = decoded(() => bech32.decode(text as `${string}1${string}`), hrp, 0) ??
    decoded(() => bech32m.decode(text as `${string}1${string}`), hrp, 1) ?? [];
  if (version === undefined) return undefined;
  const payload = attempted(() => bech32.fromWords(words));
  const form = WITNESS_FORMS.find((form) => {
    const { head } = SCRIPTS[form];
    return (head[0] === 0 ? 0 : 1) === version && head[1] === payload?.length;
  });
  return form && payload && { form, script: scriptOf(form, payload) };
}

function decoded(
  decode: () => { readonly prefix: string; readonly words: readonly number[] },
  hrp: string,
  version: number,
): readonly number[] | undefined {
  const read = attempted(decode);
  return read?.prefix === hrp && read.words[0] === version ? read.words : undefined;
}

function readBase58(
  text: string,
  { p2pkhVersion, p2shVersions }: BitcoinNetwork,
): ReadAddress | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{26,36}$/.test(text)) return undefined;
  const bytes = attempted(() => base58check.decode(text));
  if (bytes?.length !== 1 + HASH_BYTES) return undefined;
  const [version, payload] = [bytes[0]!, bytes.subarray(1)];
  if (version === p2pkhVersion) return { form: "p2pkh", script: scriptOf("p2pkh", payload) };
  if (!p2shVersions.includes(version)) return undefined;
  return { form: "p2sh", script: scriptOf("p2sh", payload) };
}

function formOf(script: Uint8Array): AddressForm | undefined {
  return FORMS.find((form) => {
    const { head, tail } = SCRIPTS[form];
    const payloadBytes = head.at(-1)!;
    return script.length === head.length + payloadBytes + tail.length &&
      head.every((byte, i) => script[i] === byte) &&
      tail.every((byte, i) => script[head.length + payloadBytes + i] === byte);
  });
}

/** The library throws on everything that it can't read. */
function attempted<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function scriptOf(form: AddressForm, payload: Uint8Array): string {
  const { head, tail } = SCRIPTS[form];
  return toHex(new Uint8Array([...head, ...payload, ...tail]));
}

function hash160(bytes: Uint8Array): Uint8Array {
  return ripemd160(sha256(bytes));
}
