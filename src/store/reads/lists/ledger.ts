import type { LedgerKind } from "../../../domain/money/balance.ts";
import type { Db } from "../../engine/db.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../tables/ledger.ts";
import { equal, type PageOf } from "../pages/page.ts";
import { type Listed, windowOf } from "./listed.ts";
import type { Source } from "./_branches.ts";
import { walk } from "./walk.ts";

interface LedgerAsked extends Listed {
  readonly kind: LedgerKind | null;
}

export function ledgerList(db: Db, asked: LedgerAsked): Promise<PageOf<LedgerEntryRow>> {
  const { spans, cursor, limit } = asked;
  return walk(db, { table: LedgerEntries, spans }, {
    sources: [sourceOf(asked)],
    filters: equal({ kind: asked.kind === "hold" ? "hold" : null }),
    windows: windowOf("created_at_ms", asked),
    cursor,
    limit,
  });
}

function sourceOf({ kind, accountId, assets }: LedgerAsked): Source {
  const columns = ["account_id", "network", "currency"];
  const values = assets.map(({ network, symbol }) => [accountId, network, symbol]);
  if (kind === null || kind === "hold") return { index: "ledger_entries_asset", columns, values };
  return {
    index: "ledger_entries_kind",
    columns: [...columns, "kind"],
    values: values.map((one) => [...one, kind]),
    where: "kind <> 'hold'",
  };
}
