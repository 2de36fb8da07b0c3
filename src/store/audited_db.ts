import { invariant } from "../base/assert.ts";
import { mustBeAudited } from "./audit_rules.ts";
import { AuditLog } from "./audit_table.ts";
import type { Db } from "./db.ts";
import type { Table } from "./table.ts";
import type { View } from "./workspace.ts";

/** Refuses every unit that does what must be in the audit log and leaves no row there. */
export function auditedDb(db: Db): Db {
  return {
    ...db,
    write: ({ reads, decide }) =>
      db.write({
        reads,
        decide: (view) => {
          const watch = new Watch(view);
          const decided = decide(watch);
          const { owed, hasRow } = watch;
          invariant(hasRow || !owed, `A change of ${owed?.name} without a row of the audit log`);
          return decided;
        },
      }),
  };
}

class Watch implements View {
  owed: Table<object> | undefined;
  hasRow = false;

  constructor(readonly view: View) {}

  find: View["find"] = (table, values, key) => this.view.find(table, values, key);

  insert: View["insert"] = (table, row) => this.#seen(table, this.view.insert(table, row));

  insertKeyed: View["insertKeyed"] = (table, row) =>
    this.#seen(table, this.view.insertKeyed(table, row));

  update: View["update"] = (table, row, patch) =>
    this.#seen(table, this.view.update(table, row, patch), row);

  remove: View["remove"] = (table, row) => {
    this.view.remove(table, row);
    this.#note(table as Table<object>, row, undefined);
  };

  #seen<Row extends object>(table: Table<Row>, after: Row, before?: Row): Row {
    this.#note(table as Table<object>, before, after);
    return after;
  }

  #note(table: Table<object>, before: object | undefined, after: object | undefined): void {
    if (table === (AuditLog as Table<object>)) this.hasRow = true;
    else if (mustBeAudited(table, before, after)) this.owed = table;
  }
}
