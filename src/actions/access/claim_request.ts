import { Refused } from "../../domain/refusal.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import { Accounts, type RoleKeyRow } from "../../store/tables/setup.ts";
import {
  answerContext,
  type RepeatedRequestRow,
  RepeatedRequests,
  UsedSignatures,
} from "../../store/tables/signatures.ts";
import { signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { storedRead, whyFull } from "../books/quota.ts";
import { isSuspended } from "../books/stopped.ts";
import type { Deps } from "../deps.ts";

/** A request that says which repeats are the same one. */
export interface Repeatable {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly bodyHash: string;
}

interface Signed {
  readonly key: RoleKeyRow;
  readonly caller: Omit<SignedCaller, "accountId">;
  /** Null: an exact copy is refused. */
  readonly repeat: Repeatable | null;
}

/** Undefined: it is new, and may go on. Otherwise what is known of the first one. */
export async function claimRequest(
  { db }: Deps,
  { key: { keyId, accountId }, caller, repeat }: Signed,
): Promise<RepeatedRequestRow | undefined> {
  const used = signatureRead({ ...caller, accountId: accountId ?? 0 });
  const before = repeat &&
    read(RepeatedRequests, [keyId, repeat.path, repeat.idempotencyKey]);
  const outcome = await db.write({
    reads: [before ?? used, ...accountReads(accountId)],
    decide: (view) => {
      const known = before && view.rowOf(before);
      if (known) return known;
      if (!before && view.rowOf(used)) throw new Refused("replayed_request");
      const refused = accountId === null ? undefined : whyRefused(view, accountId);
      if (refused) throw refused;
      const { nowMs } = view;
      if (repeat) {
        const nothing = { status: null, answerSealed: null };
        view.insertKeyed(RepeatedRequests, { keyId, ...repeat, ...nothing, createdAtMs: nowMs });
      } else {
        const [signature] = used.values;
        const expiresAtMs = caller.signatureExpiresAtMs;
        view.insertKeyed(UsedSignatures, { signature: String(signature), expiresAtMs });
        caller.onStored?.();
      }
      return undefined;
    },
  });
  return outcome;
}

function accountReads(accountId: number | null): Read[] {
  return accountId === null ? [] : [read(Accounts, [accountId]), storedRead(accountId)];
}

function whyRefused(view: View, accountId: number): Refused | undefined {
  view.charge(accountId);
  if (isSuspended(view, accountId)) return new Refused("account_suspended");
  return whyFull(view, { accountId });
}

/** For the same request again. Null: it was no answer, so it may be tried again. */
export async function keepAnswer(
  { db, vault }: Pick<Deps, "db" | "vault">,
  { keyId, repeat: { path, idempotencyKey }, answer }: {
    readonly keyId: string;
    readonly repeat: Repeatable;
    readonly answer: { readonly status: number; readonly text: string } | null;
  },
): Promise<void> {
  const context = answerContext({ keyId, path, idempotencyKey });
  const sealed = answer && await vault.seal(answer.text, context);
  const id = [keyId, path, idempotencyKey];
  await db.write({
    reads: [read(RepeatedRequests, id)],
    decide: (view) => {
      const row = view.find(RepeatedRequests, id);
      if (!row) return;
      if (answer) {
        view.update(RepeatedRequests, row, { status: answer.status, answerSealed: sealed });
      } else view.remove(RepeatedRequests, row);
    },
  });
}

export async function keptAnswer(
  { vault }: Pick<Deps, "vault">,
  row: RepeatedRequestRow,
): Promise<{ status: number; text: string } | undefined> {
  const { status, answerSealed } = row;
  if (status === null || answerSealed === null) return undefined;
  return { status, text: await vault.open(answerSealed, answerContext(row)) };
}
