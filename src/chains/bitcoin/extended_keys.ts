import { sha256 } from "@noble/hashes/sha2.js";
import { createBase58check } from "@scure/base";
import { HDKey } from "@scure/bip32";
import { invariant, present } from "../../base/assert.ts";
import { fromHex, joined, toHex } from "../../base/bytes.ts";
import type { ExtendedKey, KeyProblem, KeyScript } from "../extended_key.ts";
import { p2shP2wpkhAddress, p2wpkhAddress } from "./addresses.ts";
import type { BitcoinNetwork } from "./params.ts";

interface Encoding {
  /** What it begins with as text. */
  readonly name: string;
  readonly script: KeyScript;
  readonly isTest: boolean;
  /** Undefined: of both coins. */
  readonly symbol?: "LTC";
}

/** By the four bytes that they begin with (SLIP-132), those first that say most. */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  "04b24746": { name: "zpub", script: "p2wpkh", isTest: false },
  "049d7cb2": { name: "ypub", script: "p2sh_p2wpkh", isTest: false },
  "0488b21e": { name: "xpub", script: "p2wpkh", isTest: false },
  "045f1cf6": { name: "vpub", script: "p2wpkh", isTest: true },
  "044a5262": { name: "upub", script: "p2sh_p2wpkh", isTest: true },
  "043587cf": { name: "tpub", script: "p2wpkh", isTest: true },
  "01b26ef6": { name: "Mtub", script: "p2sh_p2wpkh", isTest: false, symbol: "LTC" },
  "019da462": { name: "Ltub", script: "p2wpkh", isTest: false, symbol: "LTC" },
};
/** xprv, yprv, zprv, tprv, uprv, vprv, Ltpv, Mtpv. */
const PRIVATE: ReadonlySet<string> = new Set([
  ...["0488ade4", "049d7878", "04b2430c", "04358394", "044a4e28", "045f18bc"],
  ...["019d9cfe", "01b26792"],
]);
const BYTES = 78;
const [KEY_AT, CHAIN_CODE_AT] = [45, 13];
const KEY_BYTES = BYTES - KEY_AT;
const [GIVEN_OUT, CHANGE] = [0, 1];
/** From here on keys are derived in a way that needs the private key. */
const HARDENED = 2 ** 31;
const base58check = createBase58check(sha256);

export function readExtendedKey(text: string, network: BitcoinNetwork): ExtendedKey | KeyProblem {
  const bytes = decoded(text);
  if (!bytes) return "malformed";
  const version = toHex(bytes.subarray(0, 4));
  if (PRIVATE.has(version)) return "private";
  const encoding = ENCODINGS[version];
  if (!encoding) return "malformed";
  const key = keyOf(text, version);
  if (!key) return "malformed";
  if (!isOf(encoding, network)) return "other_network";
  const { script } = encoding;
  const id = toHex(joined([bytes.subarray(KEY_AT), bytes.subarray(CHAIN_CODE_AT, KEY_AT)]));
  return addressesOf(key, { id, script, network });
}

/** What those of this network begin with, in a sentence. */
export function keyNames(network: BitcoinNetwork): string {
  const names = Object.values(ENCODINGS).filter((one) => isOf(one, network));
  return new Intl.ListFormat("en-GB", { type: "disjunction" }).format(names.map((one) => one.name));
}

function isOf({ isTest, symbol }: Encoding, network: BitcoinNetwork): boolean {
  return isTest === network.isTest && (symbol === undefined || symbol === network.symbol);
}

export function keyOfId(
  { id, script }: Pick<ExtendedKey, "id" | "script">,
  network: BitcoinNetwork,
): ExtendedKey {
  const bytes = present(fromHex(id), "It is hex");
  const [publicKey, chainCode] = [bytes.slice(0, KEY_BYTES), bytes.slice(KEY_BYTES)];
  return addressesOf(new HDKey({ publicKey, chainCode }), { id, script, network });
}

function addressesOf(
  key: HDKey,
  { id, script, network }: Pick<ExtendedKey, "id" | "script"> & { network: BitcoinNetwork },
): ExtendedKey {
  const givenOut = key.deriveChild(GIVEN_OUT);
  const addressOf = ({ publicKey }: HDKey) => {
    const point = present(publicKey, "A derived key has a public key");
    return script === "p2wpkh" ? p2wpkhAddress(point, network) : p2shP2wpkhAddress(point, network);
  };
  return {
    script,
    id,
    addressAt: (index) => {
      invariant(Number.isInteger(index) && index >= 0 && index < HARDENED, `No key ${index}`);
      return addressOf(givenOut.deriveChild(index));
    },
    get changeAddress() {
      return addressOf(key.deriveChild(CHANGE).deriveChild(0));
    },
  };
}

function decoded(text: string): Uint8Array | undefined {
  if (!/^[1-9A-HJ-NP-Za-km-z]{100,120}$/.test(text)) return undefined;
  try {
    const bytes = base58check.decode(text);
    return bytes.length === BYTES ? bytes : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if it contradicts itself, or isn't on the curve. */
function keyOf(text: string, version: string): HDKey | undefined {
  try {
    return HDKey.fromExtendedKey(text, { public: parseInt(version, 16), private: 0 });
  } catch {
    return undefined;
  }
}
