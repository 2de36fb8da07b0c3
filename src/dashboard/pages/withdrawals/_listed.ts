import { keysOf } from "../../../base/lists.ts";
import type { Period } from "../../../domain/money/period.ts";
import { WITHDRAWAL_MOVES } from "../../../domain/states/withdrawal_moves.ts";
import type { Catalog } from "../../../store/engine/catalog.ts";
import { WithdrawalAmounts } from "../../../store/reads/lists/amounts.ts";
import { COUNTED_MAX } from "../../parts/lists/totals.tsx";
import { withdrawalsIn } from "../../../store/reads/lists/withdrawals.ts";
import { withdrawalsOfAll } from "../../../store/reads/pages/page.ts";
import { windowOf } from "../../../store/reads/lists/listed.ts";
import { Withdrawals } from "../../../store/tables/withdrawals.ts";
import type { Table } from "../../../store/tables/table.ts";
import { assetsWanted, invoiceWanted } from "../../parts/filters.tsx";
import { idsWithin, periodWanted } from "../../parts/lists/period.tsx";
import { pageFrom } from "../../parts/table.tsx";
import type { Visit } from "../../visit.ts";

export const STATUSES = keysOf(WITHDRAWAL_MOVES);

type Wanted = ReturnType<typeof withdrawalsWanted>;

export function withdrawalsWanted(visit: Visit, catalog: Catalog) {
  return {
    ...assetsWanted(visit, catalog),
    status: visit.wanted("status", STATUSES),
    invoiceId: invoiceWanted(visit),
    reference: visit.query.get("reference")?.trim() || null,
    ...timesOf(periodWanted(visit, { otherwise: "all" })),
    ...visit.paging,
  };
}

function timesOf({ fromMs, untilMs }: Period): Pick<Period, "fromMs" | "untilMs"> {
  return { fromMs, untilMs };
}

/** So many rows are added up at most where several parts of an index have to be merged. */
const MERGED_MAX = 200;

/** What the totals of the list are added up from. */
export async function amountsFound(visit: Visit, wanted: Wanted) {
  const { status, network, currency, accountId } = wanted;
  const isMerged = accountId !== null && status === null && (network ?? currency) !== null;
  const limit = isMerged ? MERGED_MAX : COUNTED_MAX;
  return await withdrawalsFound(visit, WithdrawalAmounts, {
    ...wanted,
    isOldestFirst: false,
    limit,
  });
}

/** With the columns of this table. */
export async function withdrawalsFound<Row extends { readonly id: number }>(
  visit: Visit,
  table: Table<Row>,
  { accountId, ...query }: Wanted & { limit: number; after?: number },
): Promise<{ readonly rows: readonly Row[]; readonly next: number | null }> {
  const { deps: { db, catalog, memory } } = visit;
  if (accountId === null) {
    const span = await spanOf(visit, query);
    return await withdrawalsOfAll(db, table, { ...query, span });
  }
  const { network, currency, limit } = query;
  const { rows, next } = await withdrawalsIn(db, table, {
    ...query,
    accountId,
    spans: memory.idSpans,
    assets: (await catalog.current()).currencies.filter((one) =>
      (network === null || one.network === network) &&
      (currency === null || [currency].flat().includes(one.symbol))
    ),
    isAssetChosen: network !== null || currency !== null,
    recipient: null,
    limit: limit + 1,
  });
  return rows.length > limit ? pageFrom(rows, limit) : { rows, next };
}

async function spanOf(visit: Visit, { fromMs, untilMs }: Pick<Period, "fromMs" | "untilMs">) {
  const [asked] = windowOf("requested_at_ms", { fromMs, untilMs });
  return asked && await idsWithin(visit, Withdrawals, asked);
}
