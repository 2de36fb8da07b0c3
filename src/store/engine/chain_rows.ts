import { sha256Hex } from "../../base/secrets/crypto.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import {
  type BalancesSum,
  hideSum,
  lostSum,
  NO_BALANCES,
  showSum,
  sumText,
} from "./balances_sum.ts";
import { orNull, type SqlRow } from "../connection/connection.ts";
import type { Seals } from "./seals.ts";
import type { AnyRow, RowValue, Table } from "../tables/table.ts";

/** The log's newest row, also kept beside the log so that rows cut off its end are missed. */
export interface ChainHead {
  readonly id: number;
  readonly hash: string;
  readonly seal: string;
  /** The sum of all balances; null if written before sums were kept. */
  readonly balances: string | null;
}

/** Gives each row a hash that covers the previous row's hash. Returns the last one. */
export function chainRows(
  table: Table<AnyRow>,
  rows: readonly RowValue[][],
  { lastHash, mac }: { lastHash: string | null; mac: Mac | undefined },
): Pick<ChainHead, "id" | "hash"> | undefined {
  const at = hashColumn(table);
  let hash = lastHash;
  for (const values of rows) values[at] = hash = chainHash(hash, { table, values, mac });
  if (!mac || hash === null) return undefined;
  return { id: Number(rows.at(-1)![0]), hash };
}

/** Hashes every column as stored, except the hash itself. Without a key anybody can compute it. */
export function chainHash(
  before: string | null,
  { table, values, mac }: {
    table: Table<AnyRow>;
    values: readonly RowValue[];
    mac: Mac | undefined;
  },
): string {
  const hashed = values.toSpliced(hashColumn(table), 1);
  const text = `${before ?? ""}\n${JSON.stringify(hashed)}`;
  return mac ? mac(`log/${text}`) : sha256Hex(text);
}

function hashColumn({ columns }: Table<AnyRow>): number {
  return columns.findIndex(({ field }) => field === "hash");
}

/** The head with its seal, as it is stored. */
export function sealHead(
  mac: Mac,
  { id, hash, balances }: Pick<ChainHead, "id" | "hash"> & { balances: BalancesSum },
): ChainHead {
  const seal = mac(headText({ id, hash, balances }));
  return { id, hash, seal, balances: hideSum(mac, balances, seal) };
}

interface OpenHead extends Pick<ChainHead, "id" | "hash"> {
  /** Null if written before sums were kept. */
  readonly balances: BalancesSum | null;
}

/** Undefined if this program did not write it like this. */
export function openHead(mac: Mac, head: ChainHead | undefined): OpenHead | undefined {
  if (!head) return undefined;
  const { id, hash, seal } = head;
  const balances = head.balances === null ? null : showSum(mac, head.balances, seal);
  const open = { id, hash, balances };
  return mac(headText(open)) === seal ? open : undefined;
}

function headText({ id, hash, balances }: OpenHead): string {
  const text = `head/${id}/${hash}`;
  return balances ? `${text}/${sumText(balances)}` : text;
}

/** No row has this hash, so whatever follows it exposes a head that was lost or put back. */
const NO_ROW = "no row";

/** Where the next group continues. */
export interface ChainEnd {
  /** The hash for the log's next row to cover. */
  readonly hash: string | null;
  /** The log's newest row, if the kept copy is genuine. */
  readonly kept: Pick<ChainHead, "id" | "hash"> | undefined;
  /** Undefined: not summed, or not yet. */
  readonly balances: BalancesSum | undefined;
}

export function headIn(row: SqlRow): ChainHead | undefined {
  const { audit_id: id, audit_hash: hash, audit_seal: seal, balances_sum: balances } = row;
  if (id === null) return undefined;
  const kept = { id: Number(id), hash: String(hash), seal: String(seal) };
  return { ...kept, balances: orNull(balances, String) };
}

export function chainEnd(row: SqlRow, seals: Seals | undefined): ChainEnd {
  const unkept = { hash: orNull(row.last_hash, String), kept: undefined };
  if (!seals?.log) return { ...unkept, balances: undefined };
  const head = headIn(row);
  if (!head && seals.isBeginning) return { ...unkept, balances: NO_BALANCES };
  const kept = openHead(seals.mac, head);
  return {
    hash: kept?.hash ?? NO_ROW,
    kept,
    balances: keptSum(kept, seals),
  };
}

/** Once sums are kept, a missing one counts as lost. */
export function keptSum(head: OpenHead | undefined, { mac, areSummed }: Seals): BalancesSum {
  return head?.balances ?? (head && !areSummed ? NO_BALANCES : lostSum(mac));
}
