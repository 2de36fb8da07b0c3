import { secondsSinceAnswer } from "../../networks/rules/network_health.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { type NetworkTrouble, type Verdict, verdictOf } from "../../dashboard/words/verdict.ts";
import { stateOf } from "../../networks/pages/network_state.ts";

/** The colour repeats what the words and the mark say. */
export const VerdictCard = ({ verdict: { tone, lead, text } }: { verdict: Verdict }) => (
  <section class={`verdict ${tone}`} role="status" aria-label="Is my money all right?">
    <p>
      <strong id="verdict-lead">{lead}</strong> <span id="verdict-text">{text}</span>
    </p>
  </section>
);

/** For an open page; another tone loads it again. */
export function verdictFigures(verdict: ReturnType<typeof verdictOf>) {
  return { "verdict-lead": verdict.lead, "verdict-text": verdict.text };
}

/** Networks that can't be read properly now, the worst first. */
export function troublesOf(
  networks: readonly NetworkRow[],
  cursors: readonly NetworkCursorRow[],
  nowMs: number,
): NetworkTrouble[] {
  const found = networks.flatMap((row) => {
    const cursor = cursors.find(({ network }) => network === row.code);
    const state = TROUBLES.find((one) => one === stateOf(row, cursor, nowMs));
    if (!state || !cursor) return [];
    const { code, name } = row;
    return [{ code, name, state, forS: secondsWithout(cursor, { state, nowMs }) }];
  });
  return found.toSorted((a, b) => TROUBLES.indexOf(a.state) - TROUBLES.indexOf(b.state));
}

function secondsWithout(
  cursor: NetworkCursorRow,
  { state, nowMs }: { state: NetworkTrouble["state"]; nowMs: number },
): number | null {
  if (state !== "stalled" || cursor.tipAtMs === null) return secondsSinceAnswer(cursor, nowMs);
  return Math.floor((nowMs - cursor.tipAtMs) / 1_000);
}

const TROUBLES = ["halted", "silent", "stalled", "behind"] as const;
