import { ROUND_TRIP_MS } from "../../support/nodes/far_node.ts";
import { withdraw } from "../../support/views.ts";
import type { PartOrder } from "../part.ts";
import { median, type Row } from "../row.ts";
import { type FarWorld, startFarWorld } from "./far_world.ts";
import { atLeast, atMost, namesOf, rowOf } from "./goal.ts";

const ALONE = {
  ETH: atMost(3, "round trips", "a withdrawal of coins alone"),
  USDT: atMost(3, "round trips", "a withdrawal of tokens alone"),
};
const TOGETHER = {
  ETH: atLeast(12, "a round trip", "64 withdrawals of coins at once"),
  USDT: atLeast(12, "a round trip", "64 withdrawals of tokens at once"),
};
export const WITHDRAWAL_ROWS = [...namesOf(ALONE), ...namesOf(TOGETHER)];

const CURRENCIES = ["ETH", "USDT"] as const;
const AT_ONCE = 64;
const TIMES = 5;
/** Of the first payments, which also load code and open connections, none counts. */
const UNCOUNTED = 2;
const PAUSE_MS = 1_300;
const TO = "0x000000000000000000000000000000000000bEEF";

/** From the request to the answer that it is sent. */
export async function* measureWithdrawals({ names, say }: PartOrder): AsyncGenerator<Row> {
  await using far = await startFarWorld({ isPushed: true });
  for (const currency of CURRENCIES) {
    if (!names.has(ALONE[currency].name) && !names.has(TOGETHER[currency].name)) continue;
    const alone: number[] = [];
    let calls = 0;
    for (let time = -UNCOUNTED; time < TIMES; time++) {
      // Long enough that the price of the last one is too old.
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const before = far.node.bodies.length;
      const trips = await roundTripsOf(() => pay(far, currency));
      calls = far.node.bodies.slice(before).flat().length;
      if (time >= 0) alone.push(trips);
    }
    say(`far: a withdrawal of ${currency} took ${calls} calls`);
    yield rowOf(ALONE[currency], ...alone);
    if (!names.has(TOGETHER[currency].name)) continue;
    const rates: number[] = [];
    for (let time = 0; time < 3; time++) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      const before = far.node.bodies.length;
      const trips = await roundTripsOf(() =>
        Promise.all(Array.from({ length: AT_ONCE }, () => pay(far, currency)))
      );
      rates.push(AT_ONCE / trips);
      calls = far.node.bodies.slice(before).flat().length;
    }
    say(`far: ${AT_ONCE} at once took ${calls} calls, ${median(rates).toFixed(1)} a round trip`);
    yield rowOf(TOGETHER[currency], ...rates);
  }
}

async function roundTripsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / ROUND_TRIP_MS;
}

async function pay({ world: { merchant: { api } } }: FarWorld, currency: string): Promise<void> {
  const { status, body } = await withdraw(api, { to: TO, amount: "5", currency });
  if (status !== 200 || body.data.status !== "broadcasted") throw new Error(JSON.stringify(body));
}
