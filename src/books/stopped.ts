import { Accounts } from "../accounts/tables/accounts.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import { Stops } from "../integrity/table.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";

/** Nothing is wrong with it: signing is stopped, its account is suspended, or it needs an approval. */
export class NotSignedYet extends CannotPayYet {
  override name = "NotSignedYet";
}

export const STOP_ID = 1;

const STOP = read(Stops, [STOP_ID]);

export function stopRead(): Read {
  return STOP;
}

export function stopIn(view: View) {
  return view.rowOf(STOP);
}

/** Steps that sign check this first, but the unit that saves the bytes decides. */
export async function isStopped({ db }: Pick<Deps, "db">): Promise<boolean> {
  return await db.find(Stops, [STOP_ID]) !== undefined;
}

export function checkNotStopped(view: View): void {
  if (stopIn(view)) throw new NotSignedYet("Nothing is signed until an operator resumes");
}

export function isSuspended(view: View, accountId: number): boolean {
  const account = view.get(Accounts, [accountId]);
  return account.suspendedAtMs !== null;
}
