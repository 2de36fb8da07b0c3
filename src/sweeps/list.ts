import { SWEEP_STATES } from "./rules/sweep_moves.ts";
import { SWEEPS_LISTED } from "./reads/page.ts";
import type { SweepRow } from "./table.ts";
import { choice, COINS, type Filter, type List } from "../operations/lists/list.ts";
import { atAddress } from "../deposits/lists/transactions.ts";

const state: Filter<string> = {
  kind: choice(SWEEP_STATES),
  label: "State",
  help: "only those in this state",
  example: "parked",
  column: "state",
};

const address: Filter<string> = {
  ...atAddress,
  kind: { ...atAddress.kind, type: "search" },
  page: "q",
  label: "Deposit address",
  help: "only from this deposit address",
};

export const SWEEPS: List<SweepRow> = {
  title: "Sweeps",
  listing: SWEEPS_LISTED,
  filters: { address, state, ...COINS },
};
