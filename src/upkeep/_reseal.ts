import { last } from "../base/lists.ts";
import { readSealed } from "../base/secrets/sealed_text.ts";
import type { Vault } from "../keys/vault.ts";
import { ENCRYPTED_TABLES, primaryKeyOf, rowsAfter } from "../store/reads/sealed.ts";
import type { AnyRow, RowValue, Table } from "../store/tables/table.ts";
import { readAll } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

const PAGE_ROWS = 200;

/** Nothing is sealed with the old key after the hand-over, so one pass finds everything. */
export async function resealAll(deps: Deps): Promise<number> {
  let resealed = 0;
  for (const table of ENCRYPTED_TABLES) {
    let after: RowValue[] | undefined;
    for (;;) {
      const page = await rowsAfter(deps.db, table, { after, limit: PAGE_ROWS });
      resealed += await resealPage(deps, table, page);
      if (page.length < PAGE_ROWS) break;
      after = primaryKeyOf(table, last(page));
    }
  }
  return resealed;
}

type Fields = Record<string, string | null>;

async function resealPage(deps: Deps, table: Table<AnyRow>, page: AnyRow[]): Promise<number> {
  const { db, vault } = deps;
  const changes: { key: RowValue[]; from: Fields; to: Fields }[] = [];
  for (const row of page) {
    const from: Fields = {};
    const to: Fields = {};
    for (const { field, contextOf } of table.encrypted) {
      const text = row[field];
      if (typeof text !== "string" || text === "" || readSealed(text).keyId === vault.keyId()) {
        continue;
      }
      from[field] = text;
      to[field] = await resealed(vault, text, contextOf(row));
    }
    if (Object.keys(to).length > 0) changes.push({ key: primaryKeyOf(table, row), from, to });
  }
  if (changes.length === 0) return 0;
  await db.write({
    reads: readAll(table, changes.map(({ key }) => key)),
    decide: (view) => {
      for (const { key, from, to } of changes) {
        const row = view.raw.find(table, key);
        // Whoever changed it meanwhile has already sealed it with the new key.
        const same = Object.keys(to).filter((field) => row?.[field] === from[field]);
        const patch = Object.fromEntries(same.map((field) => [field, to[field]]));
        if (!row || same.length === 0) continue;
        view.atOnce("the same secrets, encrypted with a new key").update(table, row, patch);
      }
    },
  });
  return changes.length;
}

async function resealed(vault: Vault, text: string, context: string): Promise<string> {
  return await vault.seal(await vault.open(text, context), context);
}
