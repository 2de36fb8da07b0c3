import type { AnyRow, KeyText, Table } from "../tables/table.ts";
import type { Read } from "./workspace.ts";

/** The reads of one table by one of its keys. */
interface Group {
  readonly table: Table<AnyRow>;
  readonly key: string;
  /** By their values, because many units ask for the same row. */
  readonly reads: Map<KeyText, Read>;
}

/** One SELECT per table and key, and each row once, however many units ask. */
export function distinctReads(units: readonly { readonly reads: readonly Read[] }[]): Group[] {
  const groups: Group[] = [];
  // Units of one kind read the same tables in the same order, and often the same rows.
  const before: Read[] = [];
  const groupsBefore: Group[] = [];
  for (const { reads } of units) {
    reads.forEach((read, i) => {
      if (before[i] === read) return;
      const { table, key, text } = read;
      const isSame = (group: Group) => group.table === table && group.key === key;
      const likely = groupsBefore[i];
      let group = likely && isSame(likely) ? likely : groups.find(isSame);
      if (!group) groups.push(group = { table, key, reads: new Map() });
      group.reads.set(text, read);
      before[i] = read;
      groupsBefore[i] = group;
    });
  }
  return groups;
}
