import { KEY_HELD, type MadeKey, madeKey, newKeySecret } from "./manage_api_keys.ts";
import type { Role } from "./rules/roles.ts";
import { type RoleKeyRow, RoleKeys } from "./tables/keys.ts";
import { insertNotice } from "../books/alerts.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import { type Actor, asker, type Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { read } from "../store/engine/workspace.ts";

interface NewRoleKey {
  /** Null: every account. */
  readonly accountId: number | null;
  readonly role: Role;
  readonly label: string;
  readonly ipList: readonly string[];
  readonly rateLimit: number;
}

interface Asked extends NewRoleKey, By {
  /** If half of its secret was shown to whoever asked for the key. */
  readonly made: MadeKey | undefined;
}

export const roleKeyCreate = guarded({
  kind: "role_key.create",
  ability: null,
  makes: "key",
  held: KEY_HELD,
  sentence: ({ accountId, role, label }: NewRoleKey) =>
    `create the API key "${label}", which manages ${managed(accountId)} as ${role}`,
  run: (deps, wanted, { made, ...by }) =>
    createRoleKey(deps, { ...wanted, ...by, made: madeKey(made) }),
});

function managed(accountId: number | null): string {
  return accountId === null ? "the gateway" : `account ${accountId}`;
}

export async function createRoleKey(
  deps: Deps,
  { actor, mandate, made, ...terms }: Asked,
): Promise<RoleKeyRow> {
  const { accountId, role, label, ipList } = terms;
  if (accountId !== null) await findAccount(deps, accountId);
  const { keyId, secretSealed } = made ?? await newKeySecret(deps);
  const guard = await guardOf(deps, { accountId, mandate });
  return await deps.db.write({
    reads: [read(RoleKeys, [keyId]), ...guard.reads],
    decide: (view) => {
      const { nowMs } = view;
      guard.pass(view, { isLooser: true, before: null, after: terms });
      const detail = { accountId, role, label, ipList };
      recordAudit(view, { actor, action: "key.created", subject: `key:${keyId}`, detail, nowMs });
      const title = `Check the new API key "${label}" (${keyId}) that manages ${
        managed(accountId)
      }`;
      const text = `Programs with it may do what the role ${role} may`;
      insertNotice(view, { topic: "security", accountId, title, text, nowMs });
      const times = { createdAtMs: nowMs, revokedAtMs: null };
      return view.insertKeyed(RoleKeys, {
        ...{ keyId, secretSealed, madeBy: asker(actor), ...terms, ...times },
      });
    },
  });
}

export async function revokeRoleKey(
  deps: Deps,
  { keyId, actor }: { keyId: string; actor: Actor },
): Promise<RoleKeyRow> {
  return await deps.db.write({
    reads: [read(RoleKeys, [keyId])],
    decide: (view) => {
      const row = view.raw.find(RoleKeys, [keyId]);
      if (!row) throw refuse("key_unknown", { keyId });
      if (row.revokedAtMs !== null) return row;
      const { nowMs } = view;
      const detail = { before: { revokedAtMs: null }, after: { revokedAtMs: nowMs } };
      recordAudit(view, { actor, action: "key.revoked", subject: `key:${keyId}`, detail, nowMs });
      const stricter = view.atOnce("one key less is stricter");
      return stricter.update(RoleKeys, row, { revokedAtMs: nowMs });
    },
  });
}
