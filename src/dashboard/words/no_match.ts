import { first } from "../../base/lists.ts";
import { rulesLike, unsupportedLike } from "../../chains/any_address.ts";
import { rulesOf } from "../../chains/registry.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { SearchTerm } from "../../search/reads/term.ts";

export function isWholeAddress({ text }: SearchTerm): boolean {
  return rulesLike(text).length > 0 || unsupportedLike(text) !== undefined;
}

export function isWholeHash({ folded }: SearchTerm): boolean {
  return /^(0x)?[0-9a-f]{64}$/.test(folded);
}

/** What an address that isn't the user's could be, without looking at anybody else's. */
export function addressHint(
  { text }: SearchTerm,
  networks: readonly Pick<NetworkRow, "family" | "chainId" | "isActive">[],
): string | undefined {
  const like = rulesLike(text);
  if (like.length === 0) {
    const name = unsupportedLike(text);
    return name && `It looks like an address of ${name}, which isn't supported.`;
  }
  const valid = like.filter(({ isAddress }) => isAddress(text));
  if (valid.length === 0) {
    return "Its checksum is wrong, so at least one character differs from the original. " +
      "Copy it again instead of typing it.";
  }
  const own = networks.filter(({ isActive }) => isActive).map(rulesOf)
    .find((rules) => valid.includes(rules));
  return own
    ? `It is a valid address of ${own.name}: another wallet or exchange, perhaps the payer's own.`
    : `It is an address of ${first(valid).name}, and no such network is set up here.`;
}
