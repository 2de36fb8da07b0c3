import { SWEEP_STATES } from "../../domain/states/sweep_moves.ts";
import { SWEEPS_LISTED } from "../../store/reads/pages/sweeps.ts";
import type { SweepRow } from "../../store/tables/sweeps.ts";
import { choice, COINS, type Filter, type List } from "./list.ts";
import { atAddress } from "./transactions.ts";

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
