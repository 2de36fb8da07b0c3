import { Alerts } from "../alerts/table.ts";
import { raiseAlert, tracesGone } from "../books/alerts.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError, TracesMissing } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import { endpointsOf } from "../networks/reads/health.ts";
import type { NetworkRow } from "../networks/table.ts";

interface Traced {
  readonly network: NetworkRow;
  readonly chain: Chain;
}

/** The node that can trace may have been down when all were asked. */
const ASK_AGAIN_MS = 600_000;

/** Then a node that can't be reached is no reason any more not to read blocks. */
const WAITED_FOR_MS = 600_000;

/** Whether to look for coins sent by contracts. Once it does, no node failure ends it. */
export async function usesTraces(deps: Deps, { network, chain }: Traced): Promise<boolean> {
  // There are no contracts: all that is paid stands in blocks.
  if (familyOf(network.family).holdings === "outputs") return false;
  const setting = network.traces;
  const madeAtMs = deps.clock.nowMs();
  const { traceChoices } = deps.memory;
  const before = traceChoices.get(network.code);
  if (before?.chain === chain && before.setting === setting) {
    const isStale = setting === "auto" && madeAtMs - before.madeAtMs >= ASK_AGAIN_MS;
    if (before.isTraced || !isStale) return before.isTraced;
  }
  const isTraced = setting === "on" ||
    (setting === "auto" && await areServed(deps, { network, chain }));
  // Two may ask at once; whoever finishes first logs it.
  const known = traceChoices.get(network.code);
  traceChoices.set(network.code, { chain, setting, isTraced, madeAtMs });
  if (known?.chain === chain && known.isTraced === isTraced) return isTraced;
  const fields = { network: network.code, traces: setting };
  const level = setting === "off" ? "info" : "warn";
  if (isTraced) deps.log.info("coins sent by contracts are read from traces", fields);
  else deps.log[level]("coins sent by contracts are not seen: no traces are read", fields);
  return isTraced;
}

/** A restart is no reason to continue without traces that worked before it. */
async function areServed(deps: Deps, { network, chain }: Traced): Promise<boolean> {
  if (await chain.canTrace()) {
    deps.memory.tracesUnknownSinceMs.delete(network.code);
    return true;
  }
  const { kind, subject } = tracesGone(network.code);
  if (await deps.db.find(Alerts, [kind, subject, 1], "open")) return true;
  const traced = (await endpointsOf(deps.db, network.code)).filter(({ isTracing }) => isTracing);
  // A node that traced before may be down for a moment, or its provider may have switched them off.
  // Only the operator can say that coins sent by contracts needn't be seen any more.
  const mayTrace = traced.some(({ host }) => chain.health().some((now) => now.host === host));
  if (!mayTrace) mustBeKnown(deps, { network, chain });
  return mayTrace;
}

/** What contracts send before it is known would be missed for good, so reading waits for a while. */
function mustBeKnown({ clock, memory }: Deps, { network, chain }: Traced): void {
  const nodes = chain.health();
  // TRON's prove it with the first payment of a contract, and nobody waits for that.
  const isUnproven = nodes.some(({ isTracing, isReachable }) => isTracing === null && isReachable);
  const tracing = nodes.filter(({ isTracing }) => isTracing === true);
  const silent = nodes.filter(({ isTracing, isReachable }) => isTracing === null && !isReachable);
  if (tracing.length === 0 && isUnproven) return;
  if (silent.length === 0 || tracing.length + silent.length < network.quorum) return;
  const nowMs = clock.nowMs();
  const sinceMs = memory.tracesUnknownSinceMs.getOrInsert(network.code, nowMs);
  if (nowMs - sinceMs >= WAITED_FOR_MS) return;
  throw new NodeError(
    `${
      silent.map(({ host }) => host).join(", ")
    } can't be reached, and may serve the traces that ` +
      "show coins sent by contracts",
  );
}

/** Alerts if waiting won't help: only the operator may give up what traces find. */
export async function alertMissingTraces(
  deps: Deps,
  { network, chain, error }: Traced & { error: unknown },
): Promise<void> {
  if (!lacksTraces(error)) return;
  const canTrace = await chain.canTrace().catch((fault) => {
    if (!(fault instanceof NodeError)) throw fault;
    return true;
  });
  if (canTrace) return;
  await raiseAlert(deps, {
    ...tracesGone(network.code),
    message: network.quorum === 1
      ? `No node of ${network.code} serves traces of blocks: its blocks are not read on until one ` +
        "does"
      : `Fewer than ${network.quorum} nodes of ${network.code} serve traces of blocks: its blocks ` +
        "are not read on until so many do",
    advice: { code: "switch_traces_off", network: network.code },
  });
}

/** With several nodes, each has given its own reason. */
function lacksTraces(error: unknown): boolean {
  if (error instanceof TracesMissing) return true;
  return error instanceof NodeError && Array.isArray(error.cause) && error.cause.some(lacksTraces);
}
