import assert from "node:assert/strict";
import { type AlertRow, Alerts } from "../../../src/alerts/table.ts";
import { type NetworkRow, Networks } from "../../../src/networks/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { readAll, UniqueConflict, type View } from "../../../src/store/engine/workspace.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import { testOnBoth } from "../databases.ts";
import { HARD_TEXTS, LONG_AMOUNT, makeAlert, makeNetwork } from "../reads/make_rows.ts";

const SEEDS = [1, 2, 3, 4, 5, 6];
const GROUPS = 12;
const UNITS_MAX = 12;
const IDS = [1, 2, 3, 4, 5, 6, 7, 8];
const CODES = ["AAA", "BBB", "CCC"];
const NUMBERS = [0, -1, -1_000_000_000, 2 ** 51 + 1, Number.MAX_SAFE_INTEGER, 1_767_225_600_123];

interface Books {
  readonly alerts: Map<number, AlertRow>;
  readonly networks: Map<string, NetworkRow>;
}

const copyOf = ({ alerts, networks }: Books): Books => ({
  alerts: new Map(alerts),
  networks: new Map(networks),
});

/** The same units against plain maps: whatever is stored is what the last of them has left. */
for (const seed of SEEDS) {
  testOnBoth(
    `random groups leave exactly the rows of a plain list (seed ${seed})`,
    async (database) => {
      const db = await database.open();
      const random = seededRandom(seed);
      let books: Books = { alerts: new Map(), networks: new Map() };
      for (let group = 0; group < GROUPS; group++) {
        const units = Array.from({ length: 1 + random.below(UNITS_MAX) }, () => random.below(1e9));
        books = await runGroup(db, { books, units });
        assert.deepEqual(await stored(db), sorted(books), `seed ${seed}, group ${group}`);
      }
      assert.ok(books.alerts.size + books.networks.size > 0);
    },
  );
}

/** A unit is its seed: decided again it does the same. */
async function runGroup(
  db: Db,
  { books, units }: { books: Books; units: readonly number[] },
): Promise<Books> {
  const ends = await Promise.allSettled(units.map((seed) =>
    db.write({
      reads: [
        ...readAll(Alerts, IDS.map((id) => [id])),
        ...readAll(Networks, CODES.map((code) => [code])),
      ],
      decide: (view) => {
        const draft = readBooks(view);
        steps(view, { draft, random: seededRandom(seed) });
        return draft;
      },
    })
  ));
  let left = books;
  for (const end of ends) {
    if (end.status === "fulfilled") left = end.value;
    else if (!(end.reason instanceof UniqueConflict) && end.reason?.message !== "undone") {
      throw end.reason;
    }
  }
  return left;
}

function readBooks(view: View): Books {
  const alerts = IDS.map((id) => view.find(Alerts, [id])).filter((row) => row !== undefined);
  const networks = CODES.map((code) => view.find(Networks, [code])).filter((it) => !!it);
  return copyOf({
    alerts: new Map(alerts.map((row) => [row.id, row])),
    networks: new Map(networks.map((row) => [row.code, row])),
  });
}

function steps(view: View, { draft, random }: { draft: Books; random: Random }): void {
  for (let step = random.below(5); step >= 0; step--) {
    if (random.chance(0.6)) changeAlert(view, { draft, random });
    else changeNetwork(view, { draft, random });
  }
  if (random.chance(0.2)) throw new Error("undone");
}

function changeAlert(view: View, { draft, random }: { draft: Books; random: Random }): void {
  const id = random.pick(IDS);
  const before = draft.alerts.get(id);
  const text = {
    subject: random.pick(["s", "t"]),
    message: random.pick(HARD_TEXTS),
    open: random.pick([null, null, 1] as const),
    createdAtMs: random.pick(NUMBERS),
    resolvedAtMs: random.pick([null, ...NUMBERS]),
  };
  const parts = Object.entries(text).filter(() => random.chance(0.4));
  if (!before) {
    const row = { ...makeAlert({ id, open: null }), ...text };
    draft.alerts.set(id, view.insertKeyed(Alerts, row));
  } else if (random.chance(0.2)) {
    view.remove(Alerts, before);
    draft.alerts.delete(id);
  } else draft.alerts.set(id, view.update(Alerts, before, Object.fromEntries(parts)));
}

function changeNetwork(view: View, { draft, random }: { draft: Books; random: Random }): void {
  const code = random.pick(CODES);
  const before = draft.networks.get(code);
  const fields = {
    isActive: random.chance(0.5),
    gasPriceMaxRaw: random.pick([null, LONG_AMOUNT, "007", "1.0"]),
    rpcUrls: random.pick([[], ["a"], ['"', "\\", "ž🦕"]]),
    name: random.pick(HARD_TEXTS),
    createdAtMs: random.pick(NUMBERS),
  };
  const parts = Object.entries(fields).filter(() => random.chance(0.4));
  if (!before) {
    const row = { ...makeNetwork(code, null), ...fields };
    draft.networks.set(code, view.insertKeyed(Networks, row));
  } else if (random.chance(0.2)) {
    view.remove(Networks, before);
    draft.networks.delete(code);
  } else draft.networks.set(code, view.update(Networks, before, Object.fromEntries(parts)));
}

async function stored(db: Db) {
  return {
    alerts: await db.rows(Alerts, "ORDER BY id"),
    networks: await db.rows(Networks, "ORDER BY code"),
  };
}

function sorted({ alerts, networks }: Books) {
  return {
    alerts: [...alerts.values()].toSorted((a, b) => a.id - b.id),
    networks: [...networks.values()].toSorted((a, b) => a.code < b.code ? -1 : 1),
  };
}

const MANY = 11_000;

testOnBoth(
  "more rows than one statement takes are inserted completely and unchanged",
  async (database) => {
    const db = await database.open();
    const rows = Array.from({ length: MANY }, (_, i) => ({
      ...makeAlert({ id: i + 1, open: i === 4_999 ? 1 : null }),
      subject: `s${i}`,
      createdAtMs: Number.MAX_SAFE_INTEGER - i,
      resolvedAtMs: i === MANY - 1 ? 7 : null,
    }));
    await db.write({
      reads: [],
      decide: (view) => rows.forEach((row) => view.insertKeyed(Alerts, row)),
    });
    assert.deepEqual(await db.rows(Alerts, "ORDER BY id"), rows);
  },
);
