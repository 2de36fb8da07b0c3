import type { TestCli } from "../cli/cli_host.ts";
import type { Family, Ground, Weather } from "./ground.ts";
import type { Outside } from "./outside.ts";
import type { Program } from "./program.ts";
import type { Random } from "./random.ts";
import type { Story } from "./story.ts";
import type { SimulatedTime } from "./time.ts";

export interface SeedOptions {
  readonly seed: number;
  readonly hours: number;
  readonly weather: Weather;
  readonly family: Family;
}

export interface Counts {
  crashes: number;
  databaseFaults: number;
  requests: number;
  lostAnswers: number;
  payouts: number;
  payments: number;
}

export interface World {
  readonly options: SeedOptions;
  readonly outside: Outside;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly grounds: readonly Ground[];
  readonly programs: readonly Program[];
  readonly operator: TestCli;
  readonly story: Story;
  /** True while things go wrong. */
  areFaultsOn: boolean;
  readonly counts: Counts;
}
