import { at } from "../../base/lists.ts";
import type { FeedRound } from "../../rates/rules/feed_round.ts";
import { askAll } from "../pool/compared.ts";
import type { Pool } from "../pool/endpoints.ts";
import { hexBytes } from "./decode.ts";
import { DECIMALS_CALL, readDecimals } from "./erc20.ts";
import { isRevert } from "./error_classes.ts";
import type { Rpc } from "./rpc.ts";
import { resultOf, type RpcItem } from "../pool/json/rpc_reply.ts";

/** `latestRoundData()` of Chainlink's AggregatorV3Interface. */
const LATEST_ROUND_CALL = "0xfeaf968c";
const WORD_DIGITS = 64;
const ROUND_WORDS = 5;

/** For each feed, what every node that answers soon reports; null if that isn't a feed's round. */
export async function readFeedRounds(
  pool: Pool<Rpc>,
  feeds: readonly string[],
): Promise<readonly (readonly (FeedRound | null)[])[]> {
  const nodes = await askAll(pool, (rpc) => roundsOn(rpc, feeds));
  return feeds.map((_, i) => nodes.map((rounds) => rounds[i] ?? null));
}

async function roundsOn(
  rpc: Rpc,
  feeds: readonly string[],
): Promise<readonly (FeedRound | null)[]> {
  const call = (to: string, data: string) =>
    ({ method: "eth_call", params: [{ to, data }, "latest"] }) as const;
  const asked = feeds.flatMap((feed) => [
    call(feed, LATEST_ROUND_CALL),
    call(feed, DECIMALS_CALL),
  ]);
  const answers = (await rpc.batch(asked)).map(answerIn);
  return feeds.map((_, i) => roundOf(at(answers, 2 * i), at(answers, 2 * i + 1)));
}

/** A feed that refuses is at fault itself; otherwise another node may do better. */
function answerIn(item: RpcItem): string {
  if (!item.ok && isRevert(item.error)) return "0x";
  return hexBytes(resultOf(item), "a feed's answer");
}

function roundOf(round: string, decimalsAnswer: string): FeedRound | null {
  const decimals = readDecimals(decimalsAnswer);
  if (decimals === undefined || round.length !== 2 + ROUND_WORDS * WORD_DIGITS) return null;
  const wordAt = (i: number) =>
    BigInt(`0x${round.slice(2 + i * WORD_DIGITS, 2 + (i + 1) * WORD_DIGITS)}`);
  return {
    roundId: wordAt(0),
    answer: BigInt.asIntN(256, wordAt(1)),
    updatedAt: wordAt(3),
    answeredInRound: wordAt(4),
    decimals,
  };
}
