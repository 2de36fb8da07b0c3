import type { KeyText } from "../store/tables/table.ts";
import { Withdrawals } from "./table.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";

interface Asked {
  readonly accountId: number;
  /** Key and reference as one text. */
  readonly name: KeyText;
}

/** A repeated request pays once, even if somebody hid its row meanwhile. */
export function mustBeNew({ memory }: Deps, { accountId, name }: Asked): void {
  const id = memory.references.get(name);
  if (id === undefined) return;
  const why = `Withdrawal ${id} had this reference when it was made, and no longer has it`;
  throw new TamperedRow(Withdrawals.name, { key: String(id), accountId }, why);
}

export function rememberAsked(
  { memory }: Deps,
  { id, name }: { id: number; name: KeyText },
): void {
  memory.references.set(name, id);
}
