import { first } from "../base/lists.ts";
import type { Deps } from "../actions/deps.ts";
import * as kind from "../domain/kinds.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";
import type { OwnerOf } from "./operation.ts";

/** Of the row whose id is named first. */
export function ownerOfId<Row extends AnyRow & { readonly accountId: number | null }>(
  table: Table<Row>,
): OwnerOf {
  return async ({ db }: Deps, positionals) => {
    const id = kind.recordId.read(first(positionals));
    return id === undefined ? undefined : (await db.find(table, [id]))?.accountId;
  };
}

/** It is about nobody's money and nobody's data, so whoever has the ability may ask. */
export const nobodys: OwnerOf = () => Promise.resolve(null);
