import { callsADay, type Idle } from "../../support/idle_calls.ts";
import type { PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { atMost, rowOf } from "./goal.ts";

const IDLE = [
  {
    goal: atMost(60_000, "calls", "an idle day of 2-second blocks, with push"),
    idle: { blockMs: 2_000, pollIntervalMs: 2_000, isPushed: true },
  },
  {
    goal: atMost(110_000, "calls", "an idle day of 2-second blocks, without push"),
    idle: { blockMs: 2_000, pollIntervalMs: 2_000, isPushed: false },
  },
  {
    goal: atMost(40_000, "calls", "an idle day of 12-second blocks, without push"),
    idle: { blockMs: 12_000, pollIntervalMs: 4_000, isPushed: false },
  },
] satisfies readonly { goal: object; idle: Idle }[];
export const IDLE_ROWS = IDLE.map(({ goal }) => goal.name);

/** In simulated time: a day of what happens in some blocks. */
export async function* measureIdle({ names }: PartOrder): AsyncGenerator<Row> {
  for (const { goal, idle } of IDLE) {
    if (names.has(goal.name)) yield rowOf(goal, await callsADay(idle));
  }
}
