import { type LoadProcess, type ServerProcess, startLoad, startProgram } from "../processes.ts";
import { API_CASES, type Case, pageCases } from "./cases.ts";
import type { Place } from "./place.ts";
import { type GrowthRow, type Pair, ratioRow } from "./row.ts";

const HOLD_SERVER = new URL("../hold_server.ts", import.meta.url).pathname;

interface Side {
  readonly place: Place;
  readonly gateway: ServerProcess;
  readonly hold: ServerProcess;
  /** The API answers for both from one process, so that neither is asked while the other works. */
  readonly load: LoadProcess;
}

/** The median answer of every endpoint and page, of both sizes by turns. */
export async function* measureLatencies(
  { small, large, rounds }: { small: Place; large: Place; rounds: number },
): AsyncGenerator<GrowthRow> {
  await using stack = new AsyncDisposableStack();
  const load = stack.use(startLoad());
  const sideOf = async (place: Place): Promise<Side> => {
    const { env } = place.installation;
    const gateway = stack.use(
      await startProgram({ args: ["run", "-q", "-P", "main.ts", "serve"], env }),
    );
    const args = ["run", "-q", "-P=test", HOLD_SERVER];
    return { place, gateway, hold: stack.use(await startProgram({ args, env })), load };
  };
  const sides = [await sideOf(small), await sideOf(large)] as const;
  for (const one of [...API_CASES, ...pageCases()]) {
    const pairs: Pair[] = [];
    // The first one only warms up.
    for (let round = 0; round <= rounds; round++) {
      const pair = { small: await ask(sides[0], one), large: await ask(sides[1], one) };
      if (round > 0) pairs.push(pair);
    }
    yield ratioRow(one.name, "ms", pairs);
  }
}

async function ask({ place, gateway, hold, load }: Side, one: Case): Promise<number> {
  const { port } = one.isHold ? hold : gateway;
  const { requests } = one;
  const limits = { port, connections: 1, seconds: 60, requests };
  return (await load.run({ ...limits, ...one.order(place) })).p50Ms;
}
