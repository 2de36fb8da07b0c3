import type { IdSpans } from "./id_spans.ts";
import type { TimeWindow } from "./id_spans.ts";

/** An asset whose rows a list may show. */
interface ListedAsset {
  readonly network: string;
  readonly symbol: string;
}

/** What every list of the API is asked for. */
export interface Listed {
  readonly spans: IdSpans;
  readonly accountId: number;
  /** Those that match the filters. */
  readonly assets: readonly ListedAsset[];
  /** Whether that leaves any out. */
  readonly isAssetChosen: boolean;
  readonly fromMs: number | null;
  readonly untilMs: number | null;
  readonly cursor: number | null;
  readonly limit: number;
}

export function windowOf(
  column: string,
  { fromMs, untilMs }: Pick<Listed, "fromMs" | "untilMs">,
): TimeWindow[] {
  if (fromMs === null && untilMs === null) return [];
  return [{
    column,
    fromMs: fromMs ?? Number.MIN_SAFE_INTEGER,
    untilMs: untilMs ?? Number.MAX_SAFE_INTEGER,
  }];
}

/** A condition for rows that were found without their asset. */
export function ofAssets(assets: readonly ListedAsset[]): [string, string] {
  return [
    "network || '/' || currency IN (SELECT value FROM json_each(?))",
    JSON.stringify(assets.map(({ network, symbol }) => `${network}/${symbol}`)),
  ];
}
