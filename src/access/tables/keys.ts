import type { Permission } from "../rules/permissions.ts";
import type { Role } from "../rules/roles.ts";
import { defineTable, int, json, type RowOf, text } from "../../store/tables/table.ts";

/** Binds a sealed secret to its row. */
export function apiSecretContext(keyId: string): string {
  return `api_keys.secret:${keyId}`;
}

export const ApiKeys = defineTable("api_keys", {
  columns: {
    keyId: text(),
    accountId: int(),
    label: text(),
    secretSealed: text(),
    permissions: json<readonly Permission[]>(),
    ipList: json<readonly string[]>(),
    rateLimit: int(),
    createdAtMs: int(),
    revokedAtMs: int().orNull(),
    /** What the account itself gave it; null: an operator made the key. */
    ownRateLimit: int().orNull(),
  },
  primary: ["keyId"],
  isConfig: true,
  encrypted: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  // It only limits what an account may give its keys.
  isGuarded: true,
  sealedExcept: ["ownRateLimit"],
});
export type ApiKeyRow = RowOf<typeof ApiKeys>;

/** Keys of programs that manage the gateway over `/admin/v1`, as somebody with that role would. */
export const RoleKeys = defineTable("role_keys", {
  columns: {
    keyId: text(),
    role: text<Role>(),
    /** The only account that exists for it; null: every account does. */
    accountId: int().orNull(),
    label: text(),
    secretSealed: text(),
    ipList: json<readonly string[]>(),
    rateLimit: int(),
    /** Whoever made it asks for what it asks for. */
    madeBy: text(),
    createdAtMs: int(),
    revokedAtMs: int().orNull(),
  },
  primary: ["keyId"],
  isConfig: true,
  encrypted: { secretSealed: ({ keyId }) => apiSecretContext(keyId) },
  isGuarded: true,
  sealedExcept: [],
});
export type RoleKeyRow = RowOf<typeof RoleKeys>;
