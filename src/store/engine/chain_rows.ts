import { sha256HexNow } from "../../base/secrets/crypto.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import type { SqlRow } from "../connection/connection.ts";
import type { Seals } from "./seals.ts";
import type { RowValue, Table } from "../tables/table.ts";

/** The newest row of the log. It is kept beside the log too: what is cut off its end is missed. */
export interface ChainHead {
  readonly id: number;
  readonly hash: string;
  readonly seal: string;
}

/** Gives each row its hash, which holds the one of the row before. Answers the last. */
export function chainRows(
  table: Table<object>,
  rows: readonly RowValue[][],
  { lastHash, mac }: { lastHash: string | null; mac: Mac | undefined },
): ChainHead | undefined {
  const at = table.columns.findIndex(({ field }) => field === "hash");
  let hash = lastHash;
  for (const values of rows) values[at] = hash = chainHash(hash, { table, values, mac });
  if (!mac || hash === null) return undefined;
  const id = Number(rows.at(-1)![0]);
  return { id, hash, seal: headSeal(mac, { id, hash }) };
}

/** Of every column as it is stored, its own hash left out. Without a key anybody can make it. */
export function chainHash(
  before: string | null,
  { table, values, mac }: {
    table: Table<object>;
    values: readonly RowValue[];
    mac: Mac | undefined;
  },
): string {
  const told = values.filter((_, i) => table.columns[i]!.field !== "hash");
  const text = `${before ?? ""}\n${JSON.stringify(told)}`;
  return mac ? mac(`log/${text}`) : sha256HexNow(text);
}

export function headSeal(mac: Mac, { id, hash }: Pick<ChainHead, "id" | "hash">): string {
  return mac(`head/${id}/${hash}`);
}

/** In no row: what follows it follows nothing, so that a head that was lost or put back is found out. */
const NO_ROW = "no row";

/** The hash that the next row of the log holds. */
export function chainedTo(
  { audit_id: id, audit_hash: hash, audit_seal: seal, last_hash: lastHash }: SqlRow,
  seals: Seals | undefined,
): string | null {
  if (!seals?.log || (id === null && seals.isBeginning)) return lastHash as string | null;
  const kept = { id: Number(id), hash: String(hash) };
  return id !== null && headSeal(seals.mac, kept) === seal ? kept.hash : NO_ROW;
}
