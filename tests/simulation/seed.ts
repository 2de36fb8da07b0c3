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
  sleeps: number;
  databaseFaults: number;
  requests: number;
  lostAnswers: number;
  payouts: number;
  payments: number;
  refunds: number;
  restores: number;
}

export type GatewayEnv = Record<
  | "CPG_DATABASE_URL"
  | "CPG_DATABASE_TOKEN"
  | "CPG_MASTER_KEY"
  | "CPG_WEBHOOK_ALLOW_PRIVATE",
  string
>;

export interface World {
  readonly options: SeedOptions;
  readonly outside: Outside;
  readonly time: SimulatedTime;
  readonly random: Random;
  readonly grounds: readonly Ground[];
  readonly programs: readonly Program[];
  /** Where its database and backups are. */
  readonly folder: string;
  readonly env: GatewayEnv;
  operator: TestCli;
  /** All of it, as if the disk were gone. */
  loseDatabase(): void;
  readonly story: Story;
  /** True while things go wrong. */
  areFaultsOn: boolean;
  /** While an operator stops and starts the programs. */
  areProgramsHeld: boolean;
  /** When a payer last paid. */
  lastPaidAtMs: number;
  readonly counts: Counts;
}
