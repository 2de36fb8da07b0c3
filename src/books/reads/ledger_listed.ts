import { LEDGER_KINDS } from "../../domain/money/balance.ts";
import { LedgerEntries, type LedgerEntryRow } from "../table.ts";
import type { Listing } from "../../store/lists/listing.ts";

const COIN = ["account_id", "network", "currency"];

export const LEDGER_LISTED: Listing<LedgerEntryRow> = {
  table: LedgerEntries,
  time: "created_at_ms",
  ways: [
    [{
      ...{ index: "ledger_entries_kind", columns: [...COIN, "kind"], where: "kind <> 'hold'" },
      only: { kind: LEDGER_KINDS.filter((kind) => kind !== "hold") },
    }],
    [{ index: "ledger_entries_asset", columns: COIN }],
  ],
};
