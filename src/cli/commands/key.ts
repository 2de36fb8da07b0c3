import { first } from "../../base/lists.ts";
import { findAccount } from "../../actions/books/find.ts";
import { newKeySecret, revokeApiKey, secretStart } from "../../actions/access/manage_api_keys.ts";
import { NOTHING_MADE } from "../../actions/proposals/carry_out.ts";
import {
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import { camelCased, given } from "../given.ts";
import * as kind from "../../domain/kinds.ts";
import { apiKeys } from "../../store/reads/pages/lists.ts";
import { changeOrPropose } from "../propose.ts";
import { keyShape } from "../shapes/shapes.ts";

const RATE_LIMIT = 600;
const KEY = { name: "KEY_ID", help: "the key's id, as key list shows it" };
const LABEL = kind.text({ max: 100 });
const REQUESTS = kind.integer({ min: 1, max: 1_000_000 });

export const KEY_COMMANDS = [
  operation({
    words: ["key", "create"],
    changes: "manage_keys",
    summary: "Creates an API key and shows its secret, only this once",
    flags: {
      account: required(kind.recordId, { help: "whose key it is", example: "1" }),
      label: required(LABEL, { help: "to tell keys apart", example: "shop" }),
      permissions: required(kind.permissions, {
        help: "what it may do",
        example: "withdraw,read_balance",
      }),
      ip: withFallback(kind.ipList, {
        help: "IP addresses it may be used from; any if not given",
        example: "10.0.0.0/8,::1",
        fallback: [],
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
    ],
    run: async (context, { flags }) => {
      const { secret, ...made } = await newKeySecret(await context.deps());
      const answer = await changeOrPropose(context, {
        kind: "key.create",
        wanted: {
          accountId: flags.account,
          label: flags.label,
          permissions: flags.permissions,
          ipList: flags.ip,
          rateLimit: flags["rate-limit"],
          isOwn: false,
        },
        made: { ...NOTHING_MADE, ...made },
        shape: keyShape,
      });
      if ("proposal_id" in answer) {
        context.note("Save the start of the secret now. Whoever approves the key gets its end.");
        return { key_id: made.keyId, secret_start: secretStart(secret), ...answer };
      }
      context.note("Save the secret now: it won't be shown again.");
      return { key_id: made.keyId, secret, ...answer };
    },
  }),
  operation({
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
      return await changeOrPropose(context, { kind: "key.set", wanted, shape: keyShape });
    },
  }),
  operation({
    words: ["key", "revoke"],
    changes: "manage_keys",
    summary: "Revokes an API key for good",
    positionals: [KEY],
    flags: {},
    examples: ["key revoke cpg_3q2-7w"],
    run: async (context, { positionals }) =>
      keyShape(
        await revokeApiKey(await context.deps(), {
          keyId: first(positionals),
          actor: context.actor,
        }),
      ),
  }),
  operation({
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
      "permissions",
      "ip_whitelist",
      "rate_limit",
      "created_at",
      "revoked_at",
    ],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      if (flags.account !== undefined) await findAccount(deps, flags.account);
      return (await apiKeys(deps.db, flags.account)).map(keyShape);
    },
  }),
];
