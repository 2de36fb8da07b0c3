import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { costHours, costMarks, paidFor } from "./reads.ts";
import { addedUp, type Cost, costsOf } from "./rules/hour.ts";
import { type CostHourRow, CostHours, type CostMarkRow, CostMarks } from "./table.ts";

const HOUR_MS = 3_600_000;
/** A statement blocks everything else in this program: an hour may have thousands of sweeps. */
const LOOK_MS = HOUR_MS / 6;
const MARKS_AT_ONCE = 1_000;
const STEPS_MAX = 20;

interface Hour {
  readonly network: string;
  readonly startsAtMs: number;
}

/** Adds up each hour in which something became final since the last run. */
export async function addUpCosts(deps: Deps): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    if (await addUpSome(deps) < MARKS_AT_ONCE) return;
  }
}

async function addUpSome({ db, catalog }: Deps): Promise<number> {
  const marks = await costMarks(db, { limit: MARKS_AT_ONCE });
  if (marks.length === 0) return 0;
  const { networks } = await catalog.current();
  const before: CostHourRow[] = [];
  const now: CostHourRow[] = [];
  // One after the other: each is a look at many rows.
  for (const hour of hoursOf(marks)) {
    before.push(...await costHours(db, spanOf(hour)));
    const network = networks.find(({ code }) => code === hour.network);
    // One that was removed had nothing to add up.
    const costs = network ? await costsOfHour(db, { ...hour, network }) : [];
    now.push(...costs.map((cost) => ({ ...hour, ...cost, feeRaw: `${cost.feeRaw}` })));
  }
  const rows = new Map([...before, ...now].map((row) => [keyOf(row).join(" "), row]));
  await db.write({
    reads: [
      ...readAll(CostMarks, marks.map(({ id }) => [id])),
      ...Array.from(rows.values(), (row) => read(CostHours, keyOf(row))),
    ],
    decide: (view) => {
      const there = marks.flatMap(({ id }) => view.find(CostMarks, [id]) ?? []);
      // Another instance has already added some of these up.
      if (there.length < marks.length) return;
      for (const mark of there) view.remove(CostMarks, mark);
      for (const row of rows.values()) {
        const known = view.find(CostHours, keyOf(row));
        if (!now.includes(row)) known && view.remove(CostHours, known);
        else if (known) view.update(CostHours, known, row);
        else view.insertKeyed(CostHours, row);
      }
    },
  });
  return marks.length;
}

export async function costsOfHour(
  db: Db,
  { network: { code: network, family }, startsAtMs }: { network: NetworkRow; startsAtMs: number },
): Promise<Cost[]> {
  const { usualSweeps, holdings } = familyOf(family);
  const hasOutputs = holdings === "outputs";
  const costs: Cost[] = [];
  for (let fromMs = startsAtMs; fromMs < startsAtMs + HOUR_MS; fromMs += LOOK_MS) {
    const span = { network, fromMs, untilMs: fromMs + LOOK_MS };
    const paid = await paidFor(db, { ...span, hasOutputs });
    costs.push(...costsOf(paid, usualSweeps));
  }
  return addedUp(costs);
}

/** Each once. */
export function hoursOf(marks: readonly CostMarkRow[]): Hour[] {
  const hours = marks.map(({ network, startsAtMs }) => ({ network, startsAtMs }));
  return [...new Map(hours.map((hour) => [`${hour.startsAtMs} ${hour.network}`, hour])).values()];
}

function spanOf({ network, startsAtMs }: Hour) {
  return { network, fromMs: startsAtMs, untilMs: startsAtMs + HOUR_MS };
}

function keyOf({ network, startsAtMs, currency, way }: Hour & Pick<Cost, "currency" | "way">) {
  return [network, startsAtMs, currency, way];
}
