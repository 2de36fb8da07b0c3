import type { ApiKeyRow } from "../access/tables/keys.ts";
import type { AuditRow } from "../audit/table.ts";
import { lastWords } from "../control/reads/last_words.ts";
import type { Db } from "../store/engine/db.ts";

/** What an operator can change about a key. */
export type KeyTerms = Pick<ApiKeyRow, "label" | "permissions" | "ipList" | "rateLimit">;

interface KeySaid {
  readonly isRevoked: boolean;
  /** Undefined if they were never changed. */
  readonly terms: KeyTerms | undefined;
}

export function termsOf({ label, permissions, ipList, rateLimit }: KeyTerms): KeyTerms {
  return { label, permissions, ipList, rateLimit };
}

export function hasTerms(row: KeyTerms, terms: KeyTerms): boolean {
  return JSON.stringify(termsOf(row)) === JSON.stringify(termsOf(terms));
}

/** From the log's rows about a key, newest first. */
export function saidOfKey(said: readonly AuditRow[]): KeySaid {
  const change = said.find(({ action }) => action === "key.changed");
  return {
    isRevoked: said.some(({ action }) => action === "key.revoked"),
    terms: change?.detail.after as KeyTerms | undefined,
  };
}

export async function keyInLog(db: Db, keyId: string): Promise<KeySaid> {
  return saidOfKey(await lastWords(db, `key:${keyId}`));
}
