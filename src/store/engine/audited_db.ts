import { InvariantError } from "../../base/assert.ts";
import { mustBeAudited } from "./audit_rules.ts";
import { AuditLog } from "../tables/audit.ts";
import type { Db } from "./db.ts";
import type { AnyRow, KeyValues, Table } from "../tables/table.ts";
import { Balances } from "../tables/ledger.ts";
import type { Read, Share, View, WorthOf } from "./workspace.ts";

/** Refuses a unit that needs an audit row and doesn't write one. */
export function auditedDb(db: Db): Db {
  return {
    ...db,
    write: ({ decide, ...unit }) =>
      db.write({
        ...unit,
        decide: (view) => {
          const watch = new Watch(view);
          const decided = decide(watch);
          watch.settle();
          return decided;
        },
      }),
  };
}

class Watch implements View {
  #owed: Table<AnyRow> | undefined;
  #hasRow = false;

  constructor(readonly view: View) {}

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
    return this.#seen(table, this.view.insert(table, row));
  }

  insertKeyed<Row extends AnyRow>(table: Table<Row>, row: Row): Row {
    return this.#seen(table, this.view.insertKeyed(table, row));
  }

  update<Row extends AnyRow>(table: Table<Row>, row: Row, patch: Partial<NoInfer<Row>>): Row {
    return this.#seen(table, this.view.update(table, row, patch), row);
  }

  remove<Row extends AnyRow>(table: Table<Row>, row: Row): void {
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
    this.view.accept(table, row);
    this.#owed = table;
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
    this.#owed = Balances;
  }

  get worthOf(): WorthOf {
    return this.view.worthOf;
  }

  settle(): void {
    if (!this.#owed || this.#hasRow) return;
    throw new InvariantError(`A change of ${this.#owed.name} without a row of the audit log`);
  }

  #seen<Row extends AnyRow>(table: Table<Row>, after: Row, before?: Row): Row {
    this.#note(table, before, after);
    return after;
  }

  #note(table: Table<AnyRow>, before: AnyRow | undefined, after: AnyRow | undefined): void {
    if (table === AuditLog) this.#hasRow = true;
    else if (mustBeAudited(table, before, after)) this.#owed = table;
  }
}
