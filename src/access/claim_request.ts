import type { RoleKeyRow } from "./tables/keys.ts";
import { Accounts } from "../accounts/tables/accounts.ts";
import { signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { storedRead, whyFull } from "../books/quota.ts";
import { isSuspended } from "../books/stopped.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import {
  answerContext,
  type RepeatedRequestRow,
  RepeatedRequests,
  UsedSignatures,
} from "../store/tables/signatures.ts";

/** A request that says which repeats are the same one. */
export interface Repeatable {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly bodyHash: string;
}

export interface ClaimTerms {
  /** What it asks for is wrong, whatever its account may. */
  readonly isFaulty: boolean;
  /** It ends or completes something that is there. */
  readonly isUrgent: boolean;
}

interface Signed extends ClaimTerms {
  readonly key: RoleKeyRow;
  readonly caller: Omit<SignedCaller, "accountId">;
  /** Null: an exact copy is refused. */
  readonly repeat: Repeatable | null;
  /** It waits no longer for the first one's answer. */
  readonly isLastLook: boolean;
}

/** How long the first answer is repeated. */
const REPEATED_MS = 24 * 3_600_000;

/**
 * Undefined: it is new, and may go on. Otherwise what is known of the first one. The first request
 * with a signature uses it up, even if it is refused, or a repeat: nobody signed the idempotency
 * key, so a copy with another one, or with none, would be carried out again.
 */
export async function claimRequest(
  { db }: Deps,
  { key: { keyId, accountId }, caller, repeat, isLastLook, ...terms }: Signed,
): Promise<RepeatedRequestRow | undefined> {
  const used = signatureRead({ ...caller, accountId: accountId ?? 0 });
  const before = repeat &&
    read(RepeatedRequests, [keyId, repeat.path, repeat.idempotencyKey]);
  const outcome = await db.write({
    reads: [used, ...before ? [before] : [], ...accountReads(accountId)],
    decide: (view) => {
      const { nowMs } = view;
      const row = before && view.rowOf(before);
      const known = row && nowMs < row.createdAtMs + REPEATED_MS ? row : undefined;
      const isUsed = view.rowOf(used) !== undefined;
      const useUp = () => {
        const stored = view.insertKeyed(UsedSignatures, {
          signature: String(used.values[0]),
          expiresAtMs: caller.signatureExpiresAtMs,
        });
        caller.onStored?.();
        return stored;
      };
      if (known && known.bodyHash === repeat?.bodyHash) {
        // While it waits, it may still become the first one.
        const isOver = known.status !== null || isLastLook;
        if (isOver && !isUsed) view.countAs("none", useUp());
        return known;
      }
      if (isUsed) throw new Refused("replayed_request");
      if (accountId !== null) view.charge(accountId);
      const refused = known
        ? new Refused("idempotency_conflict")
        : whyRefused(view, { accountId, ...terms });
      const stored = useUp();
      if (refused) {
        // Refused writes have a limit of their own.
        view.countAs("none", stored);
        return refused;
      }
      if (!repeat) return undefined;
      const fresh = { ...repeat, status: null, answerSealed: null, createdAtMs: nowMs };
      if (row) view.update(RepeatedRequests, row, fresh);
      else view.insertKeyed(RepeatedRequests, { keyId, ...fresh });
      return undefined;
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

function accountReads(accountId: number | null): Read[] {
  return accountId === null ? [] : [read(Accounts, [accountId]), storedRead(accountId)];
}

function whyRefused(
  view: View,
  { accountId, isFaulty, isUrgent }: ClaimTerms & { readonly accountId: number | null },
): Refused | undefined {
  if (accountId === null) return undefined;
  if (!isFaulty && isSuspended(view, accountId)) return new Refused("account_suspended");
  return whyFull(view, { accountId, isUrgent });
}

/**
 * For the same request again. Null: it was no answer, so it may be tried again. Without a text:
 * nobody knows whether it was done.
 */
export async function keepAnswer(
  { db, vault }: Pick<Deps, "db" | "vault">,
  { key: { keyId, accountId }, repeat: { path, idempotencyKey }, answer }: {
    readonly key: RoleKeyRow;
    readonly repeat: Repeatable;
    readonly answer: { readonly status: number; readonly text: string | null } | null;
  },
): Promise<void> {
  const context = answerContext({ keyId, path, idempotencyKey });
  const text = answer?.text ?? null;
  const sealed = text === null ? null : await vault.seal(text, context);
  const id = [keyId, path, idempotencyKey];
  await db.write({
    reads: [read(RepeatedRequests, id)],
    decide: (view) => {
      const row = view.find(RepeatedRequests, id);
      if (!row) return;
      if (answer) {
        if (accountId !== null) view.charge(accountId);
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
