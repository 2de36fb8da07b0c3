import { Lru } from "../base/lru.ts";
import type { Db } from "../store/db.ts";
import { Withdrawals } from "../store/tables.ts";
import { TamperedRow } from "./tampered.ts";

const REFERENCES_REMEMBERED = 100_000;
const memories = new WeakMap<Db, Lru<string, number>>();

interface Asked {
  readonly accountId: number;
  readonly keyId: string;
  readonly reference: string;
}

/** A request that is repeated pays once, also where somebody hid its row meanwhile. */
export function mustBeNew(db: Db, asked: Asked): void {
  const id = memoryOf(db).get(nameOf(asked));
  if (id === undefined) return;
  const row = { key: String(id), accountId: asked.accountId };
  const why = `Withdrawal ${id} had the reference that is asked for again, and has it no more`;
  throw new TamperedRow(Withdrawals.name, row, why);
}

export function rememberAsked(db: Db, { id, ...asked }: Asked & { id: number }): void {
  memoryOf(db).set(nameOf(asked), id);
}

function nameOf({ keyId, reference }: Asked): string {
  return `${keyId} ${reference}`;
}

function memoryOf(db: Db): Lru<string, number> {
  const memory = memories.get(db) ?? new Lru<string, number>(REFERENCES_REMEMBERED);
  memories.set(db, memory);
  return memory;
}
