import type { Permission } from "./rules/permissions.ts";
import { type ApiKeyRow, ApiKeys, apiSecretContext } from "./tables/keys.ts";
import { present } from "../base/assert.ts";
import { randomToken } from "../base/bytes.ts";
import { insertNotice } from "../books/alerts.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded, type Made } from "../control/guarded.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { ProposalRow } from "../proposals/table.ts";
import { read } from "../store/engine/workspace.ts";
import { apiKeys } from "../store/reads/pages/lists.ts";

interface NewApiKey {
  readonly accountId: number;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly rateLimit: number;
  /** The account itself asks, so the rate of all keys that it made is limited. */
  readonly isOwn?: boolean;
}

interface Asked extends NewApiKey, By {
  /** If half of it was shown to whoever asked for the key. */
  readonly made?: MadeKey | undefined;
}

export const KEY_HELD =
  "If you approve it, you get the end of its secret. Whoever asked has the start.";

export const keyCreate = guarded({
  kind: "key.create",
  ability: "manage_withdraw_keys",
  makes: "key",
  held: KEY_HELD,
  sentence: ({ accountId, label, permissions }: NewApiKey) =>
    `create the API key "${label}" of account ${accountId}, which may ${permissions.join(", ")}`,
  run: async (deps, wanted, { made, ...by }) =>
    (await createApiKey(deps, { ...wanted, ...by, made: madeKey(made) })).row,
});

export function madeKey(made: Made | undefined): MadeKey | undefined {
  if (!made?.keyId || !made.secretSealed) return undefined;
  return { keyId: made.keyId, secretSealed: made.secretSealed };
}

export interface MadeKey {
  readonly keyId: string;
  readonly secretSealed: string;
}

/** Only the operator can allow more, because one account's requests take time from all others. */
const OWN_REQUESTS_PER_MINUTE_MAX = 12_000;
const OWN_KEYS_MAX = 100;

export const HAND_KEY_PREFIX = "dashboard_";
const KEY_ID_BYTES = 15;
const SECRET_BYTES = 32;

/** The only time the secret is shown: it is stored sealed. */
export async function newKeySecret(
  { vault }: Pick<Deps, "vault">,
): Promise<MadeKey & { secret: string }> {
  const keyId = `cpg_${randomToken(KEY_ID_BYTES)}`;
  const secret = randomToken(SECRET_BYTES);
  return { keyId, secret, secretSealed: await vault.seal(secret, apiSecretContext(keyId)) };
}

/** Half of its characters, so that the other half can't be guessed. */
const START_CHARS = 22;

/** Under dual control: whoever asked is shown the start, and whoever approved it the end. */
export function secretStart(secret: string): string {
  return secret.slice(0, START_CHARS);
}

export async function secretEnd(
  { vault }: Pick<Deps, "vault">,
  { keyId, secretSealed }: Pick<ProposalRow, "keyId" | "secretSealed">,
): Promise<string> {
  const sealed = present(secretSealed, "A proposal of a key has its secret");
  return (await vault.open(sealed, apiSecretContext(keyId))).slice(START_CHARS);
}

export async function createApiKey(
  deps: Deps,
  key: Asked,
): Promise<{ row: ApiKeyRow; secret: string }> {
  const fresh = await newKeySecret(deps);
  return await deps.memory.keyTurns.run(String(key.accountId), async () => {
    if (key.isOwn) await checkShare(deps, key);
    return { row: await makeKey(deps, { ...key, made: key.made ?? fresh }), secret: fresh.secret };
  });
}

/** Keys that an operator made, or allowed more, take nothing of the account's share. */
async function checkShare(deps: Deps, { accountId, rateLimit }: NewApiKey): Promise<void> {
  const own = (await apiKeys(deps.db, accountId)).flatMap((row) =>
    row.revokedAtMs === null && row.ownRateLimit !== null
      ? [Math.min(row.ownRateLimit, row.rateLimit)]
      : []
  );
  if (own.length >= OWN_KEYS_MAX) throw refuse("keys_too_many", { keys: own.length });
  const perMinute = own.reduce((sum, rate) => sum + rate, 0);
  if (perMinute + rateLimit <= OWN_REQUESTS_PER_MINUTE_MAX) return;
  throw refuse("requests_too_many", { max: OWN_REQUESTS_PER_MINUTE_MAX, others: perMinute });
}

async function makeKey(
  deps: Deps,
  { actor, mandate, isOwn = false, made: { keyId, secretSealed }, ...fields }:
    & Asked
    & { made: MadeKey },
): Promise<ApiKeyRow> {
  const { accountId, label, permissions, ipList, rateLimit } = fields;
  await findAccount(deps, accountId);
  const guard = await guardOf(deps, { accountId, mandate });
  const nowMs = deps.clock.nowMs();
  const terms = { label, permissions, ipList, rateLimit };
  return await deps.db.write({
    reads: [read(ApiKeys, [keyId]), ...guard.reads],
    decide: (view) => {
      guard.pass(view, { isLooser: permissions.includes("withdraw"), before: null, after: terms });
      const detail = { accountId, label, permissions, ipList };
      recordAudit(view, { actor, action: "key.created", subject: `key:${keyId}`, detail, nowMs });
      const title = `Check the new API key "${label}" (${keyId}) of account ${accountId}`;
      const text = `It may: ${permissions.join(", ")}`;
      insertNotice(view, { topic: "security", accountId, title, text, nowMs });
      const times = { createdAtMs: nowMs, revokedAtMs: null };
      const ownRateLimit = isOwn ? rateLimit : null;
      return view.insertKeyed(ApiKeys, {
        ...{ keyId, accountId, ...terms, secretSealed, ...times, ownRateLimit },
      });
    },
  });
}

export async function revokeApiKey(
  deps: Deps,
  { keyId, actor }: { keyId: string; actor: Actor },
): Promise<ApiKeyRow> {
  return await deps.db.write({
    reads: [read(ApiKeys, [keyId])],
    decide: (view) => {
      const row = view.raw.find(ApiKeys, [keyId]);
      if (!row) throw refuse("key_unknown", { keyId });
      if (row.revokedAtMs !== null) return row;
      const nowMs = deps.clock.nowMs();
      const detail = { before: { revokedAtMs: null }, after: { revokedAtMs: nowMs } };
      recordAudit(view, { actor, action: "key.revoked", subject: `key:${keyId}`, detail, nowMs });
      const stricter = view.atOnce("one key less is stricter");
      return stricter.update(ApiKeys, row, { revokedAtMs: nowMs });
    },
  });
}

/** Whether people of this account did it themselves. */
export function isHandKey(keyId: string, accountId: number): boolean {
  return keyId === handKeyName(accountId);
}

function handKeyName(accountId: number): string {
  return `${HAND_KEY_PREFIX}${accountId}`;
}

/** The key that manual withdrawals belong to. It was never active, so nothing is signed with it. */
export async function handKeyOf(
  deps: Deps,
  { accountId, actor }: { accountId: number; actor: Actor },
): Promise<string> {
  const keyId = handKeyName(accountId);
  if (await deps.db.find(ApiKeys, [keyId])) return keyId;
  const secretSealed = await deps.vault.seal(randomToken(SECRET_BYTES), apiSecretContext(keyId));
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [read(ApiKeys, [keyId])],
    decide: (view) => {
      if (view.find(ApiKeys, [keyId])) return;
      const detail = { accountId, isForHand: true };
      recordAudit(view, { actor, action: "key.created", subject: `key:${keyId}`, detail, nowMs });
      const empty = { permissions: [], ipList: [], rateLimit: 1, ownRateLimit: null };
      const times = { createdAtMs: nowMs, revokedAtMs: nowMs };
      const dead = view.atOnce("it has no permissions and was never active");
      dead.insertKeyed(ApiKeys, {
        keyId,
        accountId,
        label: "Made in the dashboard",
        secretSealed,
        ...empty,
        ...times,
      });
    },
  });
  return keyId;
}
