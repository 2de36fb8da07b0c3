import { type ApiKeyRow, ApiKeys } from "./tables/keys.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, changedText, guarded } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { hasTerms, keyInLog, type KeyTerms, termsOf } from "../integrity/key_terms.ts";
import { read } from "../store/engine/workspace.ts";

interface KeyChange {
  readonly keyId: string;
  readonly change: Partial<KeyTerms>;
}

export const keySet = guarded({
  kind: "key.set",
  ability: "manage_withdraw_keys",
  held: "Its secret stays the same: whoever made the key knows all of it.",
  sentence: ({ keyId, change }: KeyChange) =>
    `change the API key ${keyId}: ${
      changedText(change, {
        label: "label",
        permissions: "permissions",
        ipList: "allowed addresses",
        rateLimit: "requests per minute",
      })
    }`,
  run: (deps, wanted, how) => setApiKey(deps, { ...wanted, ...how }),
});

const TRIES_MAX = 10;

/** The log keeps the terms too. If an old row was put back, the change begins with what it says. */
export async function setApiKey(deps: Deps, order: KeyChange & By): Promise<ApiKeyRow> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const row = await tryToSet(deps, order);
    if (row) return row;
  }
  throw refuse("database_busy");
}

/** Undefined: the row isn't the one that was compared with the log. */
async function tryToSet(
  deps: Deps,
  { keyId, change, actor, mandate }: KeyChange & By,
): Promise<ApiKeyRow | undefined> {
  const seen = await deps.db.find(ApiKeys, [keyId]);
  if (!seen) throw refuse("key_unknown", { keyId });
  const { isRevoked, terms } = await keyInLog(deps.db, keyId);
  if (isRevoked || seen.revokedAtMs !== null) throw refuse("key_is_revoked", { keyId });
  const nowMs = deps.clock.nowMs();
  const guard = await guardOf(deps, { accountId: seen.accountId, mandate });
  return await deps.db.write({
    reads: [read(ApiKeys, [keyId]), ...guard.reads],
    decide: (view) => {
      const before = view.get(ApiKeys, [keyId]);
      if (before.revokedAtMs !== null) throw refuse("key_is_revoked", { keyId });
      if (!hasTerms(before, seen)) return undefined;
      const now = termsOf({ ...before, ...terms });
      const after = termsOf({ ...now, ...change });
      const isLooser = after.permissions.includes("withdraw") && !isStricter(now, after);
      guard.pass(view, { isLooser, before: now, after });
      const row = view.update(ApiKeys, before, after);
      const detail = { before: termsOf(before), after: termsOf(row) };
      recordAudit(view, { actor, action: "key.changed", subject: `key:${keyId}`, detail, nowMs });
      return row;
    },
  });
}

/** Whatever it may do then, from wherever, it may do now. */
function isStricter(before: KeyTerms, after: KeyTerms): boolean {
  const isFromFewer = before.ipList.length === 0 ||
    after.ipList.length > 0 && after.ipList.every((ip) => before.ipList.includes(ip));
  return isFromFewer && after.rateLimit <= before.rateLimit &&
    after.permissions.every((one) => before.permissions.includes(one));
}
