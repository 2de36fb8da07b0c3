import { present } from "../../base/assert.ts";
import type { Pair } from "../rules/rate_of.ts";
import { CHAINLINK } from "./chainlink.ts";
import { HTTP } from "./http.ts";
import { MANUAL } from "./manual.ts";
import type { Place, SourceKind } from "./source.ts";

const KINDS = [MANUAL, CHAINLINK, HTTP] as const;
export const SOURCE_KINDS: readonly SourceKind[] = KINDS;

/** What an operator adds: exactly what its kind needs. */
export type NewSource = Pair & OrderOf<typeof KINDS[number]>;

type OrderOf<K> = K extends SourceKind<infer N, infer _, infer O> ? { readonly kind: N } & O
  : never;

interface Kinded {
  readonly kind: string;
}

/** Undefined: a later version of this program added it. */
export function kindOf({ kind }: Kinded): SourceKind | undefined {
  return SOURCE_KINDS.find(({ name }) => name === kind);
}

export function kindOfNew(source: Kinded): SourceKind {
  return present(kindOf(source), `No sources of the kind ${source.kind}`);
}

/** Where it is read, in its kind's words, if no column says it. */
export function originInWords(source: Pair & Place & Kinded): string | undefined {
  const { network = null, feed = null, url = null } = source;
  const kind = kindOf(source);
  return kind?.reads && (network ?? feed ?? url) === null ? kind.originOf(source) : undefined;
}

export type Source = Pair & Place & Kinded & { readonly id: number | null };

/** Sources that read the same feed share its price. Null: it isn't read anywhere. */
export function readAsOf(source: Source): string | null {
  const reads = kindOf(source)?.reads;
  return reads ? reads.readAs?.(source) ?? `${source.kind}/${source.id}` : null;
}
