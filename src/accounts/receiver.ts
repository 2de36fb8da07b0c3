import type { ExtendedKey, KeyProblem } from "../chains/extended_key.ts";
import { rulesOf } from "../chains/registry.ts";
import type { NetworkRow } from "../networks/table.ts";

/** What a receiving wallet is known by. */
interface Receiver {
  /** Undefined: it is one address, to which deposits are swept. */
  readonly key: ExtendedKey | undefined;
  /** Where that is swept which addresses of our seed still receive. */
  readonly sweptTo: string;
}

export function receiverOf(network: NetworkRow, text: string): Receiver {
  const key = keyIn(network, text);
  return { key, sweptTo: key?.changeAddress ?? text };
}

/** Undefined: it is an address. */
export function keyIn(network: NetworkRow, text: string): ExtendedKey | undefined {
  const key = readKey(network, text);
  return typeof key === "object" ? key : undefined;
}

/** Undefined where deposits can only be swept to an address. */
export function readKey(network: NetworkRow, text: string): ExtendedKey | KeyProblem | undefined {
  const { isAddress, extendedKeys } = rulesOf(network);
  return isAddress(text) ? undefined : extendedKeys?.read(text);
}

/** One key in another encoding is the same key. */
export function isSameReceiver(network: NetworkRow, one: string, other: string): boolean {
  if (one === other) return true;
  const [key, another] = [keyIn(network, one), keyIn(network, other)];
  return key !== undefined && key.id === another?.id && key.script === another.script;
}

/** By its length, where the network isn't known. */
export function looksLikeKey(text: string): boolean {
  return /^[1-9A-HJ-NP-Za-km-z]{100,}$/.test(text);
}
