import { first } from "../base/lists.ts";
import type { Deps } from "../deps/deps.ts";
import * as kind from "../domain/kinds.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";
import type { Flags, Input, Operation, OwnerOf } from "./operation.ts";

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

/** One account's keys and people only reach what says whose it is. */
export function saysWhose({ of, flags }: Pick<Operation, "of" | "flags">): boolean {
  return of !== undefined || flags.account !== undefined;
}

/** Whether the account is named, and owns what is named. Another one doesn't exist for it. */
export async function concernsOnly(
  accountId: number,
  { deps, operation: { of, flags }, input }: {
    readonly deps: Deps;
    readonly operation: Pick<Operation, "of" | "flags">;
    readonly input: Input<Flags>;
  },
): Promise<boolean> {
  if (flags.account !== undefined && input.flags.account !== accountId) return false;
  if (!of || of === nobodys) return true;
  return await of(deps, input.positionals) === accountId;
}
