/** What an operator adds: exactly what its kind needs. */
export type NewSource =
  & { readonly base: string; readonly quote: string }
  & (
    | { readonly kind: "manual"; readonly value: string }
    | {
      readonly kind: "chainlink";
      readonly network: string;
      readonly feed: string;
      readonly maxAgeMs: number;
    }
    | {
      readonly kind: "http";
      readonly url: string;
      readonly pointer: string;
      readonly maxAgeMs: number;
    }
  );

/** Where it has its prices from, in a few words. */
export function originOf(source: NewSource): string {
  if (source.kind === "manual") return `the price ${source.value}, which doesn't get old`;
  if (source.kind === "http") return `${source.pointer} of ${source.url}`;
  return `the Chainlink feed ${source.feed} on ${source.network}`;
}
