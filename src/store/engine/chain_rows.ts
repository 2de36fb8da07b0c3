import { sha256HexNow } from "../../base/secrets/crypto.ts";
import type { Mac } from "../../base/secrets/mac.ts";
import {
  type BalancesSum,
  hideSum,
  lostSum,
  NO_BALANCES,
  showSum,
  sumText,
} from "./balances_sum.ts";
import type { SqlRow } from "../connection/connection.ts";
import type { Seals } from "./seals.ts";
import type { RowValue, Table } from "../tables/table.ts";

/** The newest row of the log. It is kept beside the log too: what is cut off its end is missed. */
export interface ChainHead {
  readonly id: number;
  readonly hash: string;
  readonly seal: string;
  /** What all balances come to; null: from before they were summed. */
  readonly balances: string | null;
}

/** Gives each row its hash, which holds the one of the row before. Answers the last. */
export function chainRows(
  table: Table<object>,
  rows: readonly RowValue[][],
  { lastHash, mac }: { lastHash: string | null; mac: Mac | undefined },
): Pick<ChainHead, "id" | "hash"> | undefined {
  const at = table.columns.findIndex(({ field }) => field === "hash");
  let hash = lastHash;
  for (const values of rows) values[at] = hash = chainHash(hash, { table, values, mac });
  if (!mac || hash === null) return undefined;
  return { id: Number(rows.at(-1)![0]), hash };
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

/** The head with its seal, as it is stored. */
export function sealHead(
  mac: Mac,
  { id, hash, balances }: Pick<ChainHead, "id" | "hash"> & { balances: BalancesSum },
): ChainHead {
  const seal = mac(headText({ id, hash, balances }));
  return { id, hash, seal, balances: hideSum(mac, balances, seal) };
}

interface OpenHead extends Pick<ChainHead, "id" | "hash"> {
  /** Null: from before they were kept. */
  readonly balances: BalancesSum | null;
}

/** Undefined: it is not as this program wrote it. */
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

/** In no row: what follows it follows nothing, so that a head that was lost or put back is found out. */
const NO_ROW = "no row";

/** What the next group continues from. */
export interface ChainEnd {
  /** The hash that the next row of the log holds. */
  readonly hash: string | null;
  /** The log's newest row, where what is kept of it is genuine. */
  readonly kept: Pick<ChainHead, "id" | "hash"> | undefined;
  /** Undefined: they are not summed, or not yet. */
  readonly balances: BalancesSum | undefined;
}

export function headIn(row: SqlRow): ChainHead | undefined {
  const { audit_id: id, audit_hash: hash, audit_seal: seal, balances_sum: balances } = row;
  if (id === null) return undefined;
  const kept = { id: Number(id), hash: String(hash), seal: String(seal) };
  return { ...kept, balances: balances as string | null };
}

export function chainEnd(row: SqlRow, seals: Seals | undefined): ChainEnd {
  const unkept = { hash: row.last_hash as string | null, kept: undefined };
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

/** Once they are kept, none is a loss. */
export function keptSum(head: OpenHead | undefined, { mac, areSummed }: Seals): BalancesSum {
  return head?.balances ?? (head && !areSummed ? NO_BALANCES : lostSum(mac));
}
