import { LEDGER_KINDS } from "../domain/money/balance.ts";
import { LEDGER_LISTED } from "./reads/ledger_listed.ts";
import type { LedgerEntryRow } from "./table.ts";
import { choice, COINS, type Filter, type List, TIMES } from "../operations/lists/list.ts";

const kind: Filter<string> = {
  kind: choice(LEDGER_KINDS),
  api: "kind",
  label: "Kind",
  help: "only these",
  example: "credit",
  column: "kind",
};

export const LEDGER: List<LedgerEntryRow> = {
  title: "Ledger entries",
  listing: LEDGER_LISTED,
  filters: { ...COINS, ...TIMES, kind },
};
