import { randomToken } from "../base/bytes.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { Permission } from "../domain/permissions.ts";
import type { ApiKeyRow } from "../store/rows.ts";
import { ApiKeys, apiSecretContext } from "../store/setup_tables.ts";
import { read } from "../store/workspace.ts";
import { recordAudit } from "./_records.ts";
import type { Actor, Deps } from "./deps.ts";
import { findAccount } from "./find.ts";

interface NewApiKey {
  readonly accountId: number;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly rateLimit: number;
  readonly actor: Actor;
}

export const HAND_KEY_PREFIX = "dashboard_";
const KEY_ID_BYTES = 15;
const SECRET_BYTES = 32;

/** The only time the secret is seen: it is stored sealed. */
export async function createApiKey(
  deps: Deps,
  { actor, ...fields }: NewApiKey,
): Promise<{ row: ApiKeyRow; secret: string }> {
  await findAccount(deps, fields.accountId);
  const keyId = `cpg_${randomToken(KEY_ID_BYTES)}`;
  const secret = randomToken(SECRET_BYTES);
  const secretSealed = await deps.vault.seal(secret, apiSecretContext(keyId));
  const nowMs = deps.clock.nowMs();
  const row = await deps.db.write({
    reads: [read(ApiKeys, [keyId])],
    decide: (view) => {
      const { accountId, label, permissions, ipList } = fields;
      const detail = { accountId, label, permissions, ipList };
      recordAudit(view, { actor, action: "key.created", subject: `key:${keyId}`, detail, nowMs });
      return view.insertKeyed(ApiKeys, {
        keyId,
        ...fields,
        secretSealed,
        createdAtMs: nowMs,
        revokedAtMs: null,
      });
    },
  });
  return { row, secret };
}

export async function revokeApiKey(
  deps: Deps,
  { keyId, actor }: { keyId: string; actor: Actor },
): Promise<ApiKeyRow> {
  return await deps.db.write({
    reads: [read(ApiKeys, [keyId])],
    decide: (view) => {
      const row = view.find(ApiKeys, [keyId]);
      if (!row) throw new OperatorError(`There is no key ${keyId}: see "key list"`);
      if (row.revokedAtMs !== null) return row;
      const nowMs = deps.clock.nowMs();
      recordAudit(view, { actor, action: "key.revoked", subject: `key:${keyId}`, nowMs });
      return view.update(ApiKeys, row, { revokedAtMs: nowMs });
    },
  });
}

/** What withdrawals made by hand belong to. It was never alive: nothing is signed with it. */
export async function handKeyOf(
  deps: Deps,
  { accountId, actor }: { accountId: number; actor: Actor },
): Promise<string> {
  const keyId = `${HAND_KEY_PREFIX}${accountId}`;
  if (await deps.db.find(ApiKeys, [keyId])) return keyId;
  const secretSealed = await deps.vault.seal(randomToken(SECRET_BYTES), apiSecretContext(keyId));
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [read(ApiKeys, [keyId])],
    decide: (view) => {
      if (view.find(ApiKeys, [keyId])) return;
      const detail = { accountId, isForHand: true };
      recordAudit(view, { actor, action: "key.created", subject: `key:${keyId}`, detail, nowMs });
      const empty = { permissions: [], ipList: [], rateLimit: 1 };
      const times = { createdAtMs: nowMs, revokedAtMs: nowMs };
      view.insertKeyed(ApiKeys, {
        ...{ keyId, accountId, label: "Made in the dashboard", secretSealed },
        ...empty,
        ...times,
      });
    },
  });
  return keyId;
}
