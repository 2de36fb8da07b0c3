import { familyOf } from "../../chains/registry.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { SearchTerm } from "../../search/reads/term.ts";

interface Format {
  readonly pattern: RegExp;
  readonly family: NetworkRow["family"] | null;
  readonly name: string;
}

/** By how complete addresses look. Null: no network of that kind can be set up. */
const FORMATS: readonly Format[] = [
  { pattern: /^0x[0-9a-f]{40}$/i, family: "evm", name: "Ethereum and networks like it" },
  { pattern: /^T[1-9A-Za-z]{33}$/, family: "tron", name: "TRON" },
  { pattern: /^bc1[02-9ac-hj-np-z]{11,71}$/i, family: null, name: "Bitcoin" },
  { pattern: /^[13][1-9A-HJ-NP-Za-km-z]{25,34}$/, family: null, name: "Bitcoin" },
];

export function isWholeAddress({ text }: SearchTerm): boolean {
  return FORMATS.some(({ pattern }) => pattern.test(text));
}

export function isWholeHash({ folded }: SearchTerm): boolean {
  return /^(0x)?[0-9a-f]{64}$/.test(folded);
}

/** What an address that isn't the user's could be, without looking at anybody else's. */
export function addressHint(
  { text }: SearchTerm,
  networks: readonly Pick<NetworkRow, "family" | "name" | "isActive">[],
): string | undefined {
  const format = FORMATS.find(({ pattern }) => pattern.test(text));
  if (!format) return undefined;
  const { family, name } = format;
  if (family === null) return `It looks like an address of ${name}, which isn't supported.`;
  if (!familyOf(family).isAddress(text)) {
    return "Its checksum is wrong, so at least one character differs from the original. " +
      "Copy it again instead of typing it.";
  }
  const own = networks.filter((one) => one.family === family && one.isActive);
  return own.length === 0
    ? `It is an address of ${name}, and no such network is set up here.`
    : `It is a valid address of ${name}: another wallet or exchange, perhaps the payer's own.`;
}
