import type { PushHealth } from "../chains/health.ts";
import type { Deps } from "../deps/deps.ts";
import { type NetworkEndpointRow, NetworkEndpoints } from "./table.ts";
import { endpointsOf } from "../networks/reads/health.ts";
import type { NetworkRow } from "../networks/table.ts";
import { readAll } from "../store/engine/workspace.ts";

const NOTED_EVERY_MS = 5_000;
const NO_SOCKET: PushHealth = { isPushing: null, pushError: null };

/** Saves what this program knows about a network's endpoints, for other programs to show. */
export async function noteEndpoints(
  deps: Deps,
  { network, sockets }: { network: NetworkRow; sockets: readonly PushHealth[] },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const noted = deps.memory.endpointsNotedAtMs;
  const ageMs = nowMs - (noted.get(network.code) ?? -Infinity);
  if (ageMs >= 0 && ageMs < NOTED_EVERY_MS) return;
  noted.set(network.code, nowMs);
  const health = deps.chains.of(network).health();
  const seen = health.map((it, place): NetworkEndpointRow => ({
    network: network.code,
    place,
    ...it,
    ...sockets[place] ?? NO_SOCKET,
  }));
  const known = await endpointsOf(deps.db, network.code);
  const places = Math.max(seen.length, known.length);
  await deps.db.write({
    reads: readAll(NetworkEndpoints, Array.from({ length: places }, (_, i) => [network.code, i])),
    decide: (view) => {
      for (let place = 0; place < places; place++) {
        const before = view.find(NetworkEndpoints, [network.code, place]);
        const now = seen[place];
        if (before && now) view.update(NetworkEndpoints, before, merged(before, now));
        else if (now) view.insertKeyed(NetworkEndpoints, now);
        else if (before) view.remove(NetworkEndpoints, before);
      }
    },
  });
}

/** Keeps the last known tracing state until there is a new one, even across restarts. */
function merged(before: NetworkEndpointRow, now: NetworkEndpointRow): NetworkEndpointRow {
  const isTracing = before.host === now.host ? now.isTracing ?? before.isTracing : now.isTracing;
  return { ...now, isTracing };
}
