import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex, utf8 } from "../../base/bytes.ts";
import { Lru } from "../../base/lru.ts";
import { NodeError } from "../faults.ts";
import { shown } from "../shown.ts";

/** Hashing is most of the work of a scan. */
const checksummed = new Lru<string, string>(100_000);

/** EIP-55, for 0x and 40 hex digits in any case. */
export function checksumAddress(address: string): string {
  return checksummed.getOrMake(address, applyChecksum);
}

export function nodeAddress(value: unknown, what: string): string {
  if (typeof value !== "string" || !/^0x[0-9a-f]{40}$/i.test(value)) {
    throw new NodeError(`Cannot read ${what} from a node's answer: ${shown(value)}`);
  }
  return checksumAddress(value);
}

export function addressOfBytes(twentyBytes: string): string {
  return checksumAddress(`0x${twentyBytes}`);
}

function applyChecksum(anyCase: string): string {
  const lower = anyCase.slice(2).toLowerCase();
  const hash = toHex(keccak_256(utf8(lower)));
  let address = "0x";
  for (let i = 0; i < 40; i++) {
    const digit = lower.charAt(i);
    address += hash.charAt(i) > "7" ? digit.toUpperCase() : digit;
  }
  return address;
}
