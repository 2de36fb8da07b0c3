import { BROKEN_FAULTS } from "../faults/fault_kinds.ts";
import { evenly } from "../faults/fault_plan.ts";
import { type FaultCounts, startFaultyNode } from "../faults/faulty_node.ts";

/** The connection between gateway and chain. */
export interface DemoLine extends AsyncDisposable {
  readonly url: string;
  /** Undefined: without faults. */
  readonly seed: number | undefined;
  /** Starts the faults, if there is a seed. */
  disturb(): void;
}

export const DEMO_FAULT_RATE = 0.15;
const REPORT_EVERY_MS = 10_000;

export async function startDemoLine(
  rpcUrl: string,
  { seed, note }: { seed: number | undefined; note: (line: string) => void },
): Promise<DemoLine> {
  if (seed === undefined) {
    return { url: rpcUrl, seed, disturb: () => {}, [Symbol.asyncDispose]: async () => {} };
  }
  const node = await startFaultyNode(rpcUrl);
  let timer: ReturnType<typeof setInterval> | undefined;
  const report = () => note(renderCounts(node.counts));
  return {
    url: node.url,
    seed,
    disturb: () => {
      node.follow({ seed, rate: DEMO_FAULT_RATE, kinds: evenly(BROKEN_FAULTS) });
      timer = setInterval(report, REPORT_EVERY_MS);
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      if (timer !== undefined) report();
      await node[Symbol.asyncDispose]();
    },
  };
}

function renderCounts({ requests, kinds }: FaultCounts): string {
  const counts = Object.entries(kinds);
  const disturbed = counts.reduce((sum, [, count]) => sum + count, 0);
  const parts = counts.map(([kind, count]) => `${kind} ${count}`).join(", ");
  return `Disturbed ${disturbed} of ${requests} requests to the node` +
    (parts === "" ? "" : `: ${parts}`);
}
