import { Lru } from "../../base/lru.ts";
import type { Db } from "../../store/engine/db.ts";
import { Withdrawals } from "../../store/tables/withdrawals.ts";
import { TamperedRow } from "../books/tampered.ts";

const REFERENCES_REMEMBERED = 100_000;
const memories = new WeakMap<Db, Lru<string, number>>();

interface Asked {
  readonly accountId: number;
  /** Key and reference as one text. */
  readonly name: string;
}

/** A repeated request pays once, even if somebody hid its row meanwhile. */
export function mustBeNew(db: Db, { accountId, name }: Asked): void {
  const id = memoryOf(db).get(name);
  if (id === undefined) return;
  const why = `Withdrawal ${id} had the reference that is asked for again, and has it no more`;
  throw new TamperedRow(Withdrawals.name, { key: String(id), accountId }, why);
}

export function rememberAsked(db: Db, { id, name }: { id: number; name: string }): void {
  memoryOf(db).set(name, id);
}

function memoryOf(db: Db): Lru<string, number> {
  const memory = memories.get(db) ?? new Lru<string, number>(REFERENCES_REMEMBERED);
  memories.set(db, memory);
  return memory;
}
