import { deadlineIn, OutOfTime } from "../base/deadline.ts";
import { type BalanceAsked, NodeError } from "../chains/chain.ts";
import type { Db } from "../store/db.ts";
import type { NetworkRow } from "../store/rows.ts";
import type { Deps } from "./deps.ts";

/** However many pages are open, a node is asked no more often. */
const FRESH_MS = 15_000;
const FORGOTTEN_MS = 60_000;

type Answer = bigint[] | undefined;

interface Look {
  readonly atMs: number;
  readonly answer: Promise<Answer>;
  /** The newest that was answered, while nothing newer is. */
  told: Answer;
}

const looks = new WeakMap<Db, Map<string, Look>>();

/** What these wallets hold, for people to read: some seconds old, undefined while no node tells. */
export async function balancesLately(
  deps: Deps,
  { network, asked, waitMs }: {
    network: NetworkRow;
    asked: readonly BalanceAsked[];
    waitMs: number;
  },
): Promise<Answer> {
  const known = looks.get(deps.db) ?? new Map<string, Look>();
  looks.set(deps.db, known);
  const key = JSON.stringify([network.code, network.rpcUrls, asked]);
  const nowMs = deps.clock.nowMs();
  let look = known.get(key);
  if (!look || nowMs - look.atMs >= FRESH_MS) {
    for (const [other, { atMs }] of known) if (nowMs - atMs > FORGOTTEN_MS) known.delete(other);
    look = lookNow(deps, { network, asked, told: look?.told });
    known.set(key, look);
  }
  const deadline = deadlineIn(waitMs);
  try {
    return await deadline.race(look.answer);
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    return look.told;
  } finally {
    deadline.cancel();
  }
}

function lookNow(
  deps: Deps,
  { network, asked, told }: { network: NetworkRow; asked: readonly BalanceAsked[]; told: Answer },
): Look {
  const answer = ask(deps, { network, asked });
  const look: Look = { atMs: deps.clock.nowMs(), answer, told };
  answer.then((found) => look.told = found, () => look.told = undefined);
  return look;
}

async function ask(
  deps: Deps,
  { network, asked }: { network: NetworkRow; asked: readonly BalanceAsked[] },
): Promise<Answer> {
  const chain = deps.chains.of(network);
  try {
    return await chain.balancesAt(await chain.tip(), asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
