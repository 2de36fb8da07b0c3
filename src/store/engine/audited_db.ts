import { InvariantError } from "../../base/assert.ts";
import { mustBeAudited } from "./audit_rules.ts";
import { AuditLog } from "../../audit/table.ts";
import type { Db } from "./db.ts";
import type { AnyRow, KeyValues, Table } from "../tables/table.ts";
import { Balances } from "../../books/table.ts";
import type { LookUps, Read, Share, View, WorthOf } from "./workspace.ts";

/**
 * Refuses a unit that needs an audit row and doesn't write one, or that changes what dual control
 * covers without having passed a guard or said why it needs none.
 */
export function auditedDb(db: Db): Db {
  return {
    ...db,
    write: ({ decide, ...unit }) =>
      db.write({
        ...unit,
        decide: (view) => {
          const watch = new Watch(view, { hasRow: false, hasPassed: false });
          const decided = decide(watch);
          watch.settle();
          return decided;
        },
      }),
  };
}

/** What a unit did so far. */
interface Unit {
  /** Changed, which takes an audit row. */
  owed?: Table<AnyRow>;
  hasRow: boolean;
  hasPassed: boolean;
}

class Watch implements View {
  constructor(readonly view: View, readonly unit: Unit, readonly needsGuard = true) {}

  guardPassed(): void {
    this.unit.hasPassed = true;
  }

  atOnce(_why: string): View {
    return new Watch(this.view, this.unit, false);
  }

  #mayChange(table: Table<AnyRow>): void {
    if (!table.isGuarded || !this.needsGuard || this.unit.hasPassed) return;
    throw new InvariantError(`A change of ${table.name} that no guard of dual control has seen`);
  }

  get raw(): LookUps {
    return this.view.raw;
  }

  get nowMs(): number {
    return this.view.nowMs;
  }

  get lastReleaseId(): number {
    return this.view.lastReleaseId;
  }

  find<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string) {
    return this.view.find(table, values, key);
  }

  get<Row extends AnyRow>(table: Table<Row>, values: KeyValues, key?: string) {
    return this.view.get(table, values, key);
  }

  rowOf<Row extends AnyRow>(read: Read<Row>) {
    return this.view.rowOf(read);
  }

  insert<Row extends AnyRow & { id: number }>(table: Table<Row>, row: Omit<Row, "id">): Row {
    this.#mayChange(table);
    return this.#seen(table, this.view.insert(table, row));
  }

  insertKeyed<Row extends AnyRow>(table: Table<Row>, row: Row): Row {
    this.#mayChange(table);
    return this.#seen(table, this.view.insertKeyed(table, row));
  }

  update<Row extends AnyRow>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row {
    this.#mayChange(table);
    return this.#seen(table, this.view.update(table, row, patch), row);
  }

  remove<Row extends AnyRow>(table: Table<Row>, row: Row): void {
    this.#mayChange(table);
    this.view.remove(table, row);
    this.#note(table, row, undefined);
  }

  lastId<Row extends AnyRow & { id: number }>(table: Table<Row>): number {
    return this.view.lastId(table);
  }

  isGenuine<Row extends AnyRow>(table: Table<Row>, row: Row): boolean {
    return this.view.isGenuine(table, row);
  }

  accept<Row extends AnyRow>(table: Table<Row>, row: Row): void {
    this.#mayChange(table);
    this.view.accept(table, row);
    this.unit.owed = table;
  }

  charge(accountId: number): void {
    this.view.charge(accountId);
  }

  countAs(share: Share, row?: AnyRow): void {
    this.view.countAs(share, row);
  }

  countAhead(accountId: number, bytes: number): void {
    this.view.countAhead(accountId, bytes);
  }

  storedToday(accountId: number, share?: Exclude<Share, "none">): number {
    return this.view.storedToday(accountId, share);
  }

  correctSum(by: bigint): void {
    this.view.correctSum(by);
    this.unit.owed = Balances;
  }

  get worthOf(): WorthOf {
    return this.view.worthOf;
  }

  settle(): void {
    if (!this.unit.owed || this.unit.hasRow) return;
    throw new InvariantError(`A change of ${this.unit.owed.name} without a row of the audit log`);
  }

  #seen<Row extends AnyRow>(table: Table<Row>, after: Row, before?: Row): Row {
    this.#note(table, before, after);
    return after;
  }

  #note(table: Table<AnyRow>, before: AnyRow | undefined, after: AnyRow | undefined): void {
    if (table === AuditLog) this.unit.hasRow = true;
    else if (mustBeAudited(table, before, after)) this.unit.owed = table;
  }
}
