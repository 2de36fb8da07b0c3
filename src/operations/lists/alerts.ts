import { ALERT_KINDS } from "../../domain/alert_kinds.ts";
import { ALERTS_LISTED } from "../../store/reads/pages/alerts.ts";
import type { AlertRow } from "../../store/tables/alerts.ts";
import { choice, type Filter, flag, type List } from "./list.ts";

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

export const ALERTS: List<AlertRow> = {
  title: "Alerts",
  listing: ALERTS_LISTED,
  filters: { kind, open },
};
