import { invariant } from "../../base/assert.ts";
import { Networks } from "../../networks/table.ts";
import type { Statement } from "../connection/connection.ts";
import { moved, termOf } from "./balances_sum.ts";
import { type ChainEnd, type ChainHead, chainRows, sealHead } from "./chain_rows.ts";
import type { Changes, Workspace } from "./group_workspace.ts";
import type { Seals } from "./seals.ts";
import { deleteRows, insertRows, markWriter, moveClock, updateRows } from "./statements.ts";
import { addStored } from "./stored_bytes.ts";
import { type AnyRow, type Table, toValues } from "../tables/table.ts";

interface Mark {
  readonly epoch: number;
  readonly sequence: number;
  readonly instance: string;
  readonly nowMs: number;
  /** The end of the audit log. If anybody adds a row before this group, the epoch has moved. */
  readonly end: ChainEnd;
}

interface Group {
  readonly workspace: Workspace;
  readonly changes: Changes;
  readonly mark: Mark;
}

/** Everything that a group changes, in one transaction that fails if another writer was first. */
export function groupStatements(tables: readonly Table<AnyRow>[], group: Group): Statement[] {
  const { workspace: { stored }, changes, mark: { epoch, ...mark } } = group;
  const inOrder = tables.filter((table) => changes.has(table));
  invariant(inOrder.length === changes.size, "Every changed table is known to the store");
  const deleted = inOrder.toReversed().flatMap((table) => {
    const rows = changes.get(table)!.delete;
    return rows.length > 0 ? [deleteRows(table, rows)] : [];
  });
  const updated = marksLast(inOrder).flatMap((table) => updates(table, group));
  const { statements: inserted, last } = inserts(inOrder, group);
  const head = newHead(group, last);
  return [
    moveClock({ epoch, isConfigChanged: changesConfig(changes), ...head ? { head } : {} }),
    markWriter(mark),
    ...deleted,
    ...updated,
    ...inserted,
    ...stored.size > 0 ? [addStored(stored, mark.nowMs)] : [],
  ];
}

/** A network's change marks its invoices, which a unit of the same group may have judged before. */
function marksLast(tables: readonly Table<AnyRow>[]): Table<AnyRow>[] {
  const isNetworks = ({ name }: Table<AnyRow>) => name === Networks.name;
  return [...tables.filter((table) => !isNetworks(table)), ...tables.filter(isNetworks)];
}

export function changesConfig(changes: Changes): boolean {
  return changes.keys().some((table) => table.isConfig);
}

function updates(table: Table<AnyRow>, { workspace, changes }: Group): Statement[] {
  const rows = changes.get(table)!.update;
  const late = workspace.takeovers(table, rows);
  return [rows.filter((row) => !late.has(row)), rows.filter((row) => late.has(row))]
    .flatMap((some) => {
      if (some.length === 0) return [];
      const fields = workspace.changedFields(table, some);
      const values = some.map((row) => workspace.sealedValues(table, row));
      if (table.sealedColumns && workspace.areSealedAnew(table, some, values)) fields.add("seal");
      return fields.size > 0 ? [updateRows(table, values, fields)] : [];
    });
}

function inserts(
  inOrder: readonly Table<AnyRow>[],
  { workspace, changes, mark }: Group,
): { statements: Statement[]; last: ChainEnd["kept"] } {
  const { seals } = workspace.options;
  const mac = seals?.log ? seals.mac : undefined;
  let last: ChainEnd["kept"];
  const statements = inOrder.flatMap((table) => {
    const rows = changes.get(table)!.insert.map((row) => workspace.newValues(table, row));
    if (table.isChained && rows.length > 0) {
      last = chainRows(table, rows, { lastHash: mark.end.hash, mac });
    }
    return insertRows(table, rows);
  });
  return { statements, last };
}

/** Undefined: it stays as it is, or isn't genuine, which only a new row of the log can repair. */
function newHead(group: Group, last: ChainEnd["kept"]): ChainHead | undefined {
  const { workspace: { options: { seals } }, mark: { end } } = group;
  const row = last ?? end.kept;
  if (!seals?.log || !end.balances || !row) return undefined;
  const { turn, by } = changeOfSum(group, seals);
  if (!last && turn === 0 && by === 0n) return undefined;
  const balances = { turn: end.balances.turn + turn, sum: moved(end.balances.sum, by) };
  return sealHead(seals.mac, { ...row, balances });
}

/** The numbers of the changed rows now, minus their numbers before. */
function changeOfSum(
  { workspace, changes }: Group,
  seals: Seals,
): { turn: number; by: bigint } {
  let by = workspace.correction ?? 0n;
  for (const [table, { insert, update, delete: deleted }] of changes) {
    if (!table.isSummed) continue;
    const term = (row: AnyRow) => termOf(seals, table, toValues(table, row));
    for (const row of insert) by += term(row);
    for (const row of update) by += term(row) - term(workspace.storedOf(table, row));
    for (const row of deleted) by -= term(row);
  }
  return { turn: workspace.correction === undefined ? 0 : 1, by };
}
