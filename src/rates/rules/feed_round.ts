import { at } from "../../base/lists.ts";
import { agreeing } from "./agree.ts";
import { fractionOf, placed } from "./fraction.ts";
import { isPrice } from "./price.ts";
import { dated, isPriced, type Reading } from "./reading.ts";

/** What a Chainlink aggregator answers as its latest round, read from one node. */
export interface FeedRound {
  readonly roundId: bigint;
  readonly answer: bigint;
  /** In seconds. */
  readonly updatedAt: bigint;
  readonly answeredInRound: bigint;
  readonly decimals: number;
}

const DECIMALS_MAX = 36;

/** A round without a price, or whose price isn't its own, is refused. */
export function priceOfRound(round: FeedRound | null, nowMs: number): Reading {
  if (round === null) return { fault: "it doesn't answer like a Chainlink feed" };
  const { roundId, answer, updatedAt, answeredInRound, decimals } = round;
  if (roundId === 0n || updatedAt === 0n) return { fault: "its latest round is incomplete" };
  if (answeredInRound < roundId) return { fault: "its latest round has an older round's price" };
  if (answer <= 0n) return { fault: "its price is not above zero" };
  if (decimals > DECIMALS_MAX) return { fault: `it has ${decimals} decimals` };
  const reading = dated({ value: placed(answer, decimals), atMs: Number(updatedAt) * 1000 }, nowMs);
  return isPriced(reading) && !isPrice(reading.value)
    ? { fault: "its price has too many digits" }
    : reading;
}

/** One node out of several can't set the price: theirs must agree as sources must. */
export function priceOfNodes(rounds: readonly (FeedRound | null)[], nowMs: number): Reading {
  const readings = rounds.map((round) => priceOfRound(round, nowMs));
  const prices = readings.filter(isPriced);
  if (2 * prices.length <= readings.length) {
    return readings.find((reading) => "fault" in reading) ?? { fault: "no node answers" };
  }
  const quotes = prices.map(({ value, atMs }) => ({ price: fractionOf(value), value, atMs }));
  const close = agreeing(quotes);
  if (!close) return { fault: "the nodes report different prices" };
  const { value, atMs } = at(close, (close.length - 1) >> 1);
  return { value, atMs };
}
