import assert from "node:assert/strict";
import {
  type AnyRow,
  defineTable,
  int,
  type RowOf,
  type RowValue,
  type Table,
  text,
} from "../../../src/store/tables/table.ts";
import { read, readAll, UniqueConflict, type View } from "../../../src/store/engine/workspace.ts";
import { Workspace } from "../../../src/store/engine/group_workspace.ts";
import { type Random, seededRandom } from "../../domain/random.ts";

const Pets = defineTable("pets", {
  columns: { id: int(), name: text(), chip: text().orNull(), place: text() },
  primary: ["id"],
  unique: { chip: ["chip"], spot: ["place", "name"] },
  isSerial: true,
});
type Pet = RowOf<typeof Pets>;
const AnyPets = Pets as Table<AnyRow>;

const makePet = (id: number, chip: string | null = null): Pet => ({
  id,
  name: `pet ${id}`,
  chip,
  place: "house",
});

function loaded(pets: readonly Pet[]): Workspace {
  const workspace = new Workspace(new Map([["pets", pets.at(-1)?.id ?? 0]]));
  for (const pet of pets) workspace.load([read(Pets, [pet.id])], [pet]);
  return workspace;
}

const changesOf = (workspace: Workspace) => workspace.changes().get(AnyPets);

Deno.test("a row that must be there is a fault of ours where it is not", () => {
  const workspace = loaded([makePet(1, "c1")]);
  workspace.load([read(Pets, [2])], []);
  assert.deepEqual(workspace.get(Pets, ["c1"], "chip"), makePet(1, "c1"));
  assert.throws(() => workspace.get(Pets, [2]), {
    name: "InvariantError",
    message: "pets has no row [2]",
  });
});

Deno.test("a loaded row is found by each of its keys", () => {
  const workspace = loaded([makePet(1, "c1")]);
  const expected = makePet(1, "c1");
  assert.deepEqual(workspace.find(Pets, [1]), expected);
  assert.deepEqual(workspace.find(Pets, ["c1"], "chip"), expected);
  assert.deepEqual(workspace.find(Pets, ["house", "pet 1"], "spot"), expected);
});

Deno.test("a row that was requested and doesn't exist is missing by that key only", () => {
  const workspace = new Workspace(new Map());
  workspace.load([read(Pets, [1])], []);
  workspace.load([read(Pets, ["c1"], "chip")], []);
  assert.equal(workspace.find(Pets, [1]), undefined);
  assert.equal(workspace.find(Pets, ["c1"], "chip"), undefined);
  assert.throws(() => workspace.find(Pets, [2]), { name: "InvariantError" });
  assert.throws(() => workspace.find(Pets, ["house", "x"], "spot"), { name: "InvariantError" });
});

Deno.test("a row loaded by several reads is one row with one change", () => {
  const workspace = loaded([makePet(1, "c1")]);
  const changed = workspace.update(Pets, makePet(1, "c1"), { place: "garden" });
  workspace.load([read(Pets, ["c1"], "chip")], [makePet(1, "c1")]);
  assert.equal(workspace.find(Pets, ["c1"], "chip"), changed);
  assert.deepEqual(changesOf(workspace), { insert: [], update: [changed], delete: [] });
});

Deno.test("two patches from the same old row both apply", () => {
  const workspace = loaded([makePet(1, "c1")]);
  const old = workspace.find(Pets, [1])!;
  workspace.update(Pets, old, { place: "garden" });
  workspace.update(Pets, old, { name: "Rex" });
  assert.deepEqual(workspace.find(Pets, [1]), {
    ...makePet(1, "c1"),
    place: "garden",
    name: "Rex",
  });
});

Deno.test("a key moves with its row and becomes free where it was", () => {
  const workspace = loaded([makePet(1, "c1"), makePet(2)]);
  workspace.load([read(Pets, ["c1"], "chip")], []);
  workspace.update(Pets, makePet(1), { chip: "c9" });
  assert.equal(workspace.find(Pets, ["c1"], "chip"), undefined);
  assert.equal(workspace.find(Pets, ["c9"], "chip")?.id, 1);
  workspace.update(Pets, makePet(2), { chip: "c1" });
  assert.equal(workspace.find(Pets, ["c1"], "chip")?.id, 2);
});

Deno.test("a row that takes another row's key is refused, whether it is new or changed", () => {
  const workspace = loaded([makePet(1, "c1"), makePet(2)]);
  const { id: _, ...taking } = makePet(3, "c1");
  assert.throws(
    () => workspace.insert(Pets, taking),
    (error) => error instanceof UniqueConflict && error.table === "pets" && error.key === "chip",
  );
  assert.throws(() => workspace.update(Pets, makePet(2), { chip: "c1" }), UniqueConflict);
  assert.throws(() => workspace.insertKeyed(Pets, makePet(1)), UniqueConflict);
  assert.equal(changesOf(workspace), undefined);
});

Deno.test("rows without a value for a key never conflict over it", () => {
  const workspace = loaded([makePet(1, null)]);
  workspace.insertKeyed(Pets, makePet(2, null));
  assert.equal(changesOf(workspace)!.insert.length, 1);
});

Deno.test("a row inserted and removed again within the group leaves no trace", () => {
  const workspace = new Workspace(new Map());
  const row = workspace.insertKeyed(Pets, makePet(1, "c1"));
  workspace.remove(Pets, row);
  assert.equal(workspace.changes().size, 0);
  workspace.insertKeyed(Pets, makePet(2, "c1"));
  assert.deepEqual(changesOf(workspace)!.insert, [makePet(2, "c1")]);
});

Deno.test("a stored row removed and inserted again is one changed row", () => {
  const workspace = loaded([makePet(1, "c1")]);
  workspace.remove(Pets, makePet(1));
  const again = workspace.insertKeyed(Pets, makePet(1, "c2"));
  assert.deepEqual(changesOf(workspace), { insert: [], update: [again], delete: [] });
});

Deno.test("serial ids rise from the last stored one, and are never reused after a throw", () => {
  const workspace = new Workspace(new Map([["pets", 41]]));
  const { id: _, ...pet } = makePet(0);
  assert.throws(() =>
    workspace.attempt((view) => {
      assert.equal(view.insert(Pets, pet).id, 42);
      throw new Error("undone");
    })
  );
  const next = workspace.attempt((view) => view.insert(Pets, pet).id);
  assert.ok(next > 41);
  assert.deepEqual(changesOf(workspace)!.insert.map((row) => (row as Pet).id), [next]);
});

Deno.test("several reads by the primary key are declared at once", () => {
  assert.deepEqual(readAll(Pets, [[1], [2]]), [read(Pets, [1]), read(Pets, [2])]);
});

/** The same units against a plain list that is copied before each unit: the second set of books. */
Deno.test("random groups with units that throw leave the rows and keys of a plain list", () => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = seededRandom(seed);
    const stored = [1, 2, 3].map((id) => makePet(id, id === 3 ? null : `c${id}`));
    const workspace = loaded(stored);
    declareAll(workspace);
    let model: readonly Pet[] = stored;
    for (let unit = 0; unit < 30; unit++) {
      const draft = [...model];
      const fails = random.chance(0.3);
      try {
        workspace.attempt((view) => {
          for (let step = random.below(4); step >= 0; step--) randomStep({ view, draft, random });
          if (fails) throw new Error("undone");
        });
        model = draft;
      } catch (error) {
        assert.ok(fails || error instanceof UniqueConflict, `seed ${seed}, unit ${unit}: ${error}`);
      }
      compare(workspace, model, `seed ${seed}, unit ${unit}`);
    }
    assert.deepEqual(applied(workspace, stored), sorted(model), `seed ${seed}`);
  }
});

const IDS = [1, 2, 3, 4, 5, 6];
const CHIPS = ["c1", "c2", "c3"];
const PLACES = ["house", "garden"];

function declareAll(workspace: Workspace): void {
  for (const id of IDS) workspace.load([read(Pets, [id])], []);
  for (const chip of CHIPS) workspace.load([read(Pets, [chip], "chip")], []);
  for (const place of PLACES) {
    for (const id of IDS) workspace.load([read(Pets, [place, `pet ${id}`], "spot")], []);
  }
}

interface Step {
  readonly view: View;
  readonly draft: Pet[];
  readonly random: Random;
}

function randomStep({ view, draft, random }: Step): void {
  const id = random.pick(IDS);
  const at = draft.findIndex((pet) => pet.id === id);
  const chip = random.pick([null, ...CHIPS]);
  const place = random.pick(PLACES);
  const holder = draft.find((pet) => pet.id !== id && pet.chip !== null && pet.chip === chip);
  if (at < 0) {
    assertConflict(!!holder, () => view.insertKeyed(Pets, { ...makePet(id, chip), place }));
    draft.push({ ...makePet(id, chip), place });
  } else if (random.chance(0.3)) {
    view.remove(Pets, draft[at]!);
    draft.splice(at, 1);
  } else {
    assertConflict(!!holder, () => view.update(Pets, draft[at]!, { chip, place }));
    draft[at] = { ...draft[at]!, chip, place };
  }
}

/** Throws on as a unit would, after checking that the conflict was due. */
function assertConflict(isDue: boolean, change: () => unknown): void {
  try {
    change();
  } catch (error) {
    assert.equal(isDue, true, `refused without reason: ${error}`);
    throw error;
  }
  assert.equal(isDue, false, "a taken key was not refused");
}

function compare(workspace: Workspace, model: readonly Pet[], at: string): void {
  const find = (values: RowValue[], key?: string) => workspace.find(Pets, values, key);
  for (const id of IDS) assert.deepEqual(find([id]), model.find((pet) => pet.id === id), at);
  for (const chip of CHIPS) {
    assert.deepEqual(find([chip], "chip"), model.find((pet) => pet.chip === chip), at);
  }
  for (const place of PLACES) {
    for (const id of IDS) {
      const expected = model.find((pet) => pet.place === place && pet.id === id);
      assert.deepEqual(find([place, `pet ${id}`], "spot"), expected, at);
    }
  }
}

function applied(workspace: Workspace, stored: readonly Pet[]): Pet[] {
  const rows = new Map(stored.map((pet) => [pet.id, pet]));
  const changes = changesOf(workspace) as Record<"insert" | "update" | "delete", Pet[]> | undefined;
  for (const pet of changes?.delete ?? []) assert.ok(rows.delete(pet.id));
  for (const pet of changes?.update ?? []) assert.ok(rows.has(pet.id) && rows.set(pet.id, pet));
  for (const pet of changes?.insert ?? []) assert.ok(!rows.has(pet.id) && rows.set(pet.id, pet));
  return sorted([...rows.values()]);
}

function sorted(pets: readonly Pet[]): Pet[] {
  return pets.toSorted((a, b) => a.id - b.id);
}
