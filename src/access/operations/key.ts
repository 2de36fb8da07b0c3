import {
  HAND_KEY_PREFIX,
  keyCreate,
  newKeySecret,
  revokeApiKey,
  secretStart,
} from "../manage_api_keys.ts";
import { revokeRoleKey, roleKeyCreate } from "../role_keys.ts";
import type { Permission } from "../rules/permissions.ts";
import { ACCOUNT_ROLES, isAble, isGatewayRole } from "../rules/roles.ts";
import { keySet } from "../set_api_key.ts";
import { keyShape } from "../shapes.ts";
import { ApiKeys, RoleKeys } from "../tables/keys.ts";
import { first } from "../../base/lists.ts";
import { findAccount } from "../../books/find.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { Refused } from "../../domain/refusal.ts";
import { camelCased, given } from "../../operations/given.ts";
import {
  type Asking,
  isOwn,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";
import { apiKeys, roleKeys } from "../../store/reads/pages/lists.ts";

const RATE_LIMIT = 600;
const KEY = { name: "KEY_ID", help: "the key's id, as key list shows it" };
const LABEL = kind.text({ max: 100 });
const REQUESTS = kind.integer({ min: 1, max: 1_000_000 });

/** Not approver: approving takes a person. */
const KEY_ROLES = ["operator", "auditor", ...ACCOUNT_ROLES] as const;
type KeyRole = typeof KEY_ROLES[number];

const CREATE_KEY = operation({
  words: ["key", "create"],
  changes: "manage_keys",
  summary: "Creates an API key and shows its secret, only this once",
  flags: {
    account: optional(kind.recordId, { help: "whose key it is", example: "1" }),
    label: required(LABEL, { help: "to tell keys apart", example: "shop" }),
    permissions: optional(kind.permissions, {
      help: "what it may do on /v1",
      example: "withdraw,read_balance",
    }),
    role: optional(kind.choice(KEY_ROLES), {
      help: "instead of permissions: it manages the gateway, or one account, on /admin/v1",
      example: "operator",
    }),
    ip: withFallback(kind.ipList, {
      help: "IP addresses it may be used from; any if not given, but see --any-ip",
      example: "10.0.0.0/8,::1",
      fallback: [],
    }),
    "any-ip": optional(kind.onOff, {
      help: "what a key with a role needs instead of --ip: it may be used from anywhere",
      example: "on",
    }),
    "rate-limit": withFallback(REQUESTS, {
      help: "requests per minute",
      example: "600",
      fallback: RATE_LIMIT,
    }),
  },
  examples: [
    "key create --account 1 --label shop --permissions all",
    "key create --account 1 --label payouts --permissions withdraw,read_withdrawal_status --ip 10.0.0.0/8",
    "key create --role operator --label platform --ip 10.0.0.7",
  ],
  run: async (context, { flags }) => {
    const { label, ip: ipList } = flags;
    const asked = { label, ipList, rateLimit: flags["rate-limit"] };
    const { secret, ...made } = await newKeySecret(await context.deps());
    const answer = flags.role === undefined
      ? await changeOrPropose(context, keyCreate, {
        wanted: { ...asked, ...ownTerms(context, flags) },
        made,
        shape: keyShape,
      })
      : await changeOrPropose(context, roleKeyCreate, {
        wanted: { ...asked, ...roleTerms(context, { ...flags, role: flags.role }) },
        made,
        shape: keyShape,
      });
    if ("proposal_id" in answer) {
      context.note("Save the start of the secret now. Whoever approves the key gets its end.");
      return { key_id: made.keyId, secret_start: secretStart(secret), ...answer };
    }
    context.note("Save the secret now: it won't be shown again.");
    const { key_id: keyId, ...rest } = answer;
    return { key_id: keyId, secret, ...rest };
  },
});

const SET_KEY = operation({
  words: ["key", "set"],
  changes: "operate",
  summary: "Changes what an API key may do; its secret stays the same",
  positionals: [KEY],
  flags: {
    label: optional(LABEL, { help: "to tell keys apart", example: "shop" }),
    permissions: optional(kind.permissions, {
      help: "what it may do, instead of what it may now",
      example: "withdraw,read_balance",
    }),
    ip: optional(kind.ipListOrAny, {
      help: "IP addresses it may be used from, instead of those now",
      example: "10.0.0.0/8,::1",
    }),
    "rate-limit": optional(REQUESTS, { help: "requests per minute", example: "600" }),
  },
  examples: ["key set cpg_3q2-7w --permissions read_balance", "key set cpg_3q2-7w --ip any"],
  run: async (context, { flags, positionals }) => {
    const { ip: ipList, ...rest } = camelCased(flags);
    const change = given({ ...rest, ipList });
    if (Object.keys(change).length === 0) throw new UsageError("key set: nothing to change");
    const wanted = { keyId: first(positionals), change };
    return await changeOrPropose(context, keySet, { wanted, shape: keyShape });
  },
});

export const REVOKE_KEY = operation({
  words: ["key", "revoke"],
  changes: "manage_keys",
  of: ownerOfKey,
  isUrgent: true,
  summary: "Revokes an API key for good",
  positionals: [KEY],
  flags: {},
  examples: ["key revoke cpg_3q2-7w"],
  run: async (context, { positionals }) => {
    const deps = await context.deps();
    const order = { keyId: first(positionals), actor: context.actor };
    const hasRole = await deps.db.find(RoleKeys, [order.keyId]) !== undefined;
    const permissions = (await deps.db.find(ApiKeys, [order.keyId]))?.permissions ?? [];
    mustManage(context, permissions);
    return keyShape(await (hasRole ? revokeRoleKey : revokeApiKey)(deps, order));
  },
});

const LIST_KEYS = operation({
  words: ["key", "list"],
  reads: "see",
  summary: "Lists API keys, without their secrets",
  flags: {
    account: optional(kind.recordId, { help: "only this account's", example: "1" }),
  },
  examples: ["key list --account 1"],
  columns: [
    "key_id",
    "account_id",
    "label",
    "role",
    "permissions",
    "ip_whitelist",
    "rate_limit",
    "created_at",
    "revoked_at",
  ],
  run: async (context, { flags }) => {
    const deps = await context.deps();
    if (flags.account !== undefined) await findAccount(deps, flags.account);
    const [keys, managing] = await Promise.all([
      apiKeys(deps.db, flags.account),
      roleKeys(deps.db, flags.account),
    ]);
    // What people ask for by hand is under a key that nobody made, can use or revokes.
    const made = keys.filter(({ keyId }) => !keyId.startsWith(HAND_KEY_PREFIX));
    return [...made, ...managing].map(keyShape);
  },
});

export const KEY_COMMANDS = [CREATE_KEY, SET_KEY, REVOKE_KEY, LIST_KEYS];

interface Flagged {
  readonly account: number | undefined;
  readonly permissions: Permission[] | undefined;
  readonly ip: readonly string[];
  readonly "any-ip": boolean | undefined;
}

/** Of a key for `/v1`. */
function ownTerms(asking: Asking, { account, permissions, ...flags }: Flagged) {
  if (account === undefined) {
    throw new UsageError("key create needs --account; for example: --account 1");
  }
  if (permissions === undefined) {
    throw new UsageError(
      "key create needs --permissions; for example: --permissions withdraw,read_balance",
    );
  }
  if (flags["any-ip"] !== undefined) throw new UsageError("--any-ip needs --role");
  mustManage(asking, permissions);
  return { accountId: account, permissions, isOwn: isOwn(asking) };
}

/** Developers neither make nor revoke keys that can pay. */
function mustManage({ caller }: Asking, permissions: readonly Permission[]): void {
  const needed = permissions.includes("withdraw") ? "manage_withdraw_keys" : "manage_keys";
  if (caller && !isAble(caller.role, needed)) {
    throw new Refused("role_denied", { text: caller.role });
  }
}

function roleTerms(
  { caller }: Asking,
  { account, permissions, role, ip, "any-ip": isFromAnywhere }: Flagged & {
    readonly role: KeyRole;
  },
) {
  // No key has more than the role of whoever made it.
  if (caller !== null && caller.role !== "operator") {
    throw new Refused("role_denied", { text: caller.role });
  }
  if (permissions !== undefined) throw new UsageError("A key has either --role or --permissions");
  if (isGatewayRole(role) !== (account === undefined)) {
    throw new UsageError(
      account === undefined
        ? `--role ${role} needs --account; for example: --account 1`
        : `--role ${role} is for every account, so it takes no --account`,
    );
  }
  if (ip.length === 0 && isFromAnywhere !== true) {
    throw new UsageError(
      "--role needs --ip, where its programs run, or --any-ip on; for example: --ip 10.0.0.7",
    );
  }
  if (ip.length > 0 && isFromAnywhere === true) {
    throw new UsageError("A key has either --ip or --any-ip on");
  }
  return { accountId: account ?? null, role };
}

/** Keys with a role are the operator's to revoke. */
async function ownerOfKey({ db }: Deps, positionals: readonly string[]) {
  const keyId = first(positionals);
  if (keyId.startsWith(HAND_KEY_PREFIX)) return undefined;
  if (await db.find(RoleKeys, [keyId])) return null;
  return (await db.find(ApiKeys, [keyId]))?.accountId;
}
