import { nextTurn } from "../../base/waiting/next_turn.ts";
import type { Db } from "../engine/db.ts";
import type { AnyRow, Table } from "../tables/table.ts";

/** Ids from `from` on, below `below`. */
export interface IdSpan {
  readonly from: number;
  readonly below: number;
}

/** Times from `fromMs` on, before `untilMs`. */
export interface TimeWindow {
  readonly column: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** None if both are open. */
export function windowOf(
  column: string,
  { fromMs, untilMs }: { readonly fromMs: number | null; readonly untilMs: number | null },
): TimeWindow[] {
  if (fromMs === null && untilMs === null) return [];
  return [{
    column,
    fromMs: fromMs ?? Number.MIN_SAFE_INTEGER,
    untilMs: untilMs ?? Number.MAX_SAFE_INTEGER,
  }];
}

interface Zone extends IdSpan {
  readonly firstMs: number;
  readonly lastMs: number;
}

interface Place {
  readonly table: string;
  readonly column: string;
}

interface Zones {
  readonly known: Zone[];
  /** Rows up to this id are in them. */
  readTo: number;
  reading: Promise<void> | undefined;
}

const ZONE = 1_024;
const ROWS_AT_ONCE = 8 * ZONE;
const EVERYTHING: IdSpan = { from: 0, below: Number.MAX_SAFE_INTEGER };

/**
 * Which ids can have rows of a time. Rows are numbered in the order of their times except where
 * clocks disagree, so the first and last time of each 1,024 ids say where to look, without an index
 * that every write would pay for. Rows are only added at the end, so each row is read once.
 */
export class IdSpans {
  readonly #zones = new Map<string, Zones>();

  /** Newest first; everything if there is no window. Rows inside may still be of other times. */
  async find(
    db: Db,
    table: Table<AnyRow>,
    windows: readonly TimeWindow[],
  ): Promise<readonly IdSpan[]> {
    let spans: readonly IdSpan[] = [EVERYTHING];
    for (const window of windows) {
      const zones = this.#zonesOf(`${table.name}.${window.column}`);
      await this.#complete(db, zones, { table: table.name, column: window.column });
      spans = overlaps(spans, spansIn(zones, window));
    }
    return spans;
  }

  #zonesOf(name: string): Zones {
    let zones = this.#zones.get(name);
    if (!zones) this.#zones.set(name, zones = { known: [], readTo: -1, reading: undefined });
    return zones;
  }

  /** A reading in progress may have missed what was written before this request. */
  async #complete(db: Db, zones: Zones, place: Place): Promise<void> {
    await zones.reading?.catch(() => {});
    zones.reading ??= readZones(db, zones, place).finally(() => zones.reading = undefined);
    await zones.reading;
  }
}

async function readZones(db: Db, zones: Zones, { table, column }: Place): Promise<void> {
  for (;;) {
    await nextTurn();
    const rows = await db.query(
      `SELECT id / ${ZONE} AS zone, max(id) AS last_id, min(at_ms) AS first_ms,
  max(at_ms) AS last_ms, count(*) AS n
FROM (SELECT id, ${column} AS at_ms FROM ${table} WHERE id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE})
GROUP BY zone
ORDER BY zone`,
      [zones.readTo],
    );
    for (const { zone, last_id, first_ms, last_ms } of rows) {
      const from = Number(zone) * ZONE;
      add(zones, { from, below: from + ZONE, firstMs: Number(first_ms), lastMs: Number(last_ms) });
      zones.readTo = Number(last_id);
    }
    if (rows.reduce((sum, { n }) => sum + Number(n), 0) < ROWS_AT_ONCE) return;
  }
}

/** The last zone may get more rows. */
function add({ known }: Zones, zone: Zone): void {
  const last = known.at(-1);
  if (last?.from !== zone.from) return void known.push(zone);
  const firstMs = Math.min(last.firstMs, zone.firstMs);
  known.splice(-1, 1, { ...zone, firstMs, lastMs: Math.max(last.lastMs, zone.lastMs) });
}

function spansIn({ known }: Zones, { fromMs, untilMs }: TimeWindow): IdSpan[] {
  const spans: IdSpan[] = [];
  let isJoined = false;
  for (const zone of known.toReversed()) {
    const isWanted = zone.lastMs >= fromMs && zone.firstMs < untilMs;
    if (isWanted && isJoined) spans.push({ from: zone.from, below: spans.pop()!.below });
    else if (isWanted) spans.push({ from: zone.from, below: zone.below });
    isJoined = isWanted;
  }
  return spans;
}

/** Both newest first. */
function overlaps(some: readonly IdSpan[], others: readonly IdSpan[]): IdSpan[] {
  return some.flatMap((one) =>
    others.map((other) => ({
      from: Math.max(one.from, other.from),
      below: Math.min(one.below, other.below),
    })).filter(({ from, below }) => from < below)
  );
}
