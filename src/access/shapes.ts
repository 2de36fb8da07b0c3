import { hasSecondFactor, passkeysOf } from "./rules/second_factors.ts";
import type { ApiKeyRow, RoleKeyRow } from "./tables/keys.ts";
import type { UserRow } from "./tables/users.ts";
import { isoUtc, isoUtcOrNull } from "../domain/time.ts";

export function keyShape(row: ApiKeyRow | RoleKeyRow) {
  return {
    key_id: row.keyId,
    account_id: row.accountId,
    label: row.label,
    ...("role" in row ? { role: row.role } : {}),
    permissions: "role" in row ? [] : row.permissions,
    ip_whitelist: row.ipList,
    rate_limit: row.rateLimit,
    created_at: isoUtc(row.createdAtMs),
    revoked_at: isoUtcOrNull(row.revokedAtMs),
  };
}

export function userShape(row: UserRow) {
  return {
    user_id: row.id,
    email: row.email,
    role: row.role,
    account_id: row.accountId,
    second_factor: hasSecondFactor(row),
    passkeys: passkeysOf(row).length,
    created_at: isoUtc(row.createdAtMs),
    disabled_at: isoUtcOrNull(row.disabledAtMs),
  };
}
