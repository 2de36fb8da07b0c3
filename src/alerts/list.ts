import { ALERT_KINDS } from "./rules/alert_kinds.ts";
import { ALERTS_LISTED } from "./reads.ts";
import type { AlertRow } from "./table.ts";
import { choice, type Filter, flag, type List } from "../operations/lists/list.ts";

const kind: Filter<string> = {
  kind: choice(ALERT_KINDS),
  label: "Kind",
  help: "only these",
  example: "hot_wallet_low",
  column: "kind",
};

const open: Filter<boolean> = {
  kind: flag,
  label: "Open",
  help: "only those that aren't resolved",
  example: "",
  column: "open",
};

export const ALERTS = {
  title: "Alerts",
  listing: ALERTS_LISTED,
  filters: { kind, open },
} satisfies List<AlertRow>;
