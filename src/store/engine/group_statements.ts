import { invariant } from "../../base/assert.ts";
import { type ChainHead, chainRows } from "./chain_rows.ts";
import type { Statement } from "../connection/connection.ts";
import { deleteRows, insertRows, markWriter, moveClock, updateRows } from "./statements.ts";
import type { Table } from "../tables/table.ts";
import type { Changes, Workspace } from "./workspace.ts";

interface Mark {
  readonly epoch: number;
  readonly sequence: number;
  readonly instance: string;
  readonly nowMs: number;
  /** Of the last row of the audit log: nobody adds another before this group, or the epoch tells. */
  readonly chainHash: string | null;
}

interface Group {
  readonly workspace: Workspace;
  readonly changes: Changes;
  readonly mark: Mark;
}

/** All that a group changes, in one transaction that fails when another writer was first. */
export function groupStatements(tables: readonly Table<object>[], group: Group): Statement[] {
  const { changes, mark: { epoch, ...mark } } = group;
  const inOrder = tables.filter((table) => changes.has(table));
  invariant(inOrder.length === changes.size, "Every changed table is known to the store");
  const deleted = inOrder.toReversed().flatMap((table) => {
    const rows = changes.get(table)!.delete;
    return rows.length > 0 ? [deleteRows(table, rows)] : [];
  });
  const updated = inOrder.flatMap((table) => updates(table, group));
  const { statements: inserted, head } = inserts(inOrder, group);
  return [
    moveClock({ epoch, isConfigChanged: changesConfig(changes), ...head ? { head } : {} }),
    markWriter(mark),
    ...deleted,
    ...updated,
    ...inserted,
  ];
}

export function changesConfig(changes: Changes): boolean {
  return changes.keys().some((table) => table.isConfig);
}

function updates(table: Table<object>, { workspace, changes }: Group): Statement[] {
  const rows = changes.get(table)!.update;
  const late = workspace.takeovers(table, rows);
  return [rows.filter((row) => !late.has(row)), rows.filter((row) => late.has(row))]
    .flatMap((some) => {
      if (some.length === 0) return [];
      const fields = workspace.changedFields(table, some);
      const values = some.map((row) => workspace.sealedValues(table, row));
      if (table.guarded && workspace.areSealedAnew(table, some, values)) fields.add("seal");
      return fields.size > 0 ? [updateRows(table, values, fields)] : [];
    });
}

function inserts(
  inOrder: readonly Table<object>[],
  { workspace, changes, mark }: Group,
): { statements: Statement[]; head: ChainHead | undefined } {
  const { seals } = workspace.options;
  const mac = seals?.log ? seals.mac : undefined;
  let head: ChainHead | undefined;
  const statements = inOrder.flatMap((table) => {
    const rows = changes.get(table)!.insert.map((row) => workspace.newValues(table, row));
    if (table.isChained && rows.length > 0) {
      head = chainRows(table, rows, { lastHash: mark.chainHash, mac });
    }
    return insertRows(table, rows);
  });
  return { statements, head };
}
