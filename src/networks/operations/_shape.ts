import type { Deps } from "../../deps/deps.ts";
import { endpointsOf, scanGaps } from "../reads/health.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { NetworkCursors } from "../../following/table.ts";
import type { Asking } from "../../operations/operation.ts";
import { networkShape } from "../shapes.ts";

export async function shapeOf(context: Asking, network: NetworkRow) {
  const deps: Deps = await context.deps();
  const [cursor, endpoints, gaps] = await Promise.all([
    deps.db.get(NetworkCursors, [network.code]),
    endpointsOf(deps.db, network.code),
    scanGaps(deps.db),
  ]);
  return networkShape(network, {
    cursor,
    endpoints,
    gaps: gaps.get(network.code) ?? [],
    nowMs: deps.clock.nowMs(),
  });
}
