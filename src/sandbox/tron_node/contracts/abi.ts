import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex, utf8 } from "../../../base/bytes.ts";
import type { HexAddress } from "../addresses.ts";

const WORD = 64;

/** The four bytes that name a function, as hex. */
export function selectorOf(signature: string): string {
  return toHex(keccak_256(utf8(signature)).slice(0, 4));
}

export function topicOf(event: string): string {
  return toHex(keccak_256(utf8(event)));
}

/** The words after the selector; bytes that are missing are zeros, as a contract reads them. */
export class Arguments {
  constructor(readonly hex: string) {}

  uint(index: number): bigint {
    return BigInt(`0x${this.#word(index)}`);
  }

  address(index: number): HexAddress {
    return `41${this.#word(index).slice(24)}`;
  }

  addresses(index: number): HexAddress[] {
    return this.#list(index).map((at) => this.address(at));
  }

  uints(index: number): bigint[] {
    return this.#list(index).map((at) => this.uint(at));
  }

  #list(index: number): number[] {
    const start = Number(this.uint(index)) / 32;
    const length = Number(this.uint(start));
    return Array.from({ length }, (_, i) => start + 1 + i);
  }

  #word(index: number): string {
    return this.hex.slice(index * WORD, (index + 1) * WORD).padEnd(WORD, "0");
  }
}

export function uintWord(value: bigint): string {
  return value.toString(16).padStart(WORD, "0");
}

/** Without the network's 41, as the machine knows addresses. */
export function addressWord(address: HexAddress): string {
  return address.slice(2).padStart(WORD, "0");
}

export function stringResult(text: string): string {
  const hex = toHex(utf8(text));
  const words = Math.ceil(hex.length / WORD);
  return uintWord(32n) + uintWord(BigInt(hex.length / 2)) + hex.padEnd(words * WORD, "0");
}

/** The revert data of `require(false, reason)`. */
export function revertReason(reason: string): string {
  return selectorOf("Error(string)") + stringResult(reason);
}
