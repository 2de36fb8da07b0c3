import { setUserDisabled, userEnable, userReset, userSetRole } from "../change_user.ts";
import { credentialOf, emailOf, findUser, newPassword, userCreate } from "../manage_users.ts";
import { userPage } from "../reads/users.ts";
import { ROLE_WORDS, ROLES } from "../rules/roles.ts";
import { userShape } from "../shapes.ts";
import type { UserRow } from "../tables/users.ts";
import { first } from "../../base/lists.ts";
import { findAccount } from "../../books/find.ts";
import type { Guarded } from "../../control/guarded.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { ActionRefused } from "../../domain/refusals/refuse.ts";
import { command } from "../../operations/command.ts";
import {
  type Asking,
  isOwn,
  operation,
  optional,
  required,
  withFallback,
} from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";

const LISTED = 1000;
const USER = [{ name: "USER", help: "their id or email" }];

const ROLE = required(kind.choice(ROLES), {
  help: ROLES.map((role) => `${role}: ${ROLE_WORDS[role]}`).join("; "),
  example: "merchant",
});

const CREATE_USER = command({
  words: ["user", "create"],
  here: "it shows a password",
  summary: "Creates a dashboard login and shows its password, only this once",
  flags: {
    email: required(kind.text({ max: 254 }), {
      help: "to sign in with",
      example: "ann@acme.com",
    }),
    role: ROLE,
    account: optional(kind.recordId, {
      help: "for merchant, finance, developer and viewer",
      example: "1",
    }),
  },
  examples: [
    "user create --email ops@example.com --role operator",
    "user create --email ann@acme.com --role merchant --account 1",
  ],
  run: async (context, { flags: { email, role, account: accountId = null } }) => {
    const wanted = { email, role, accountId };
    return await withPassword(context, userCreate, { wanted, email: emailOf(email) });
  },
});

const LIST_USERS = operation({
  words: ["user", "list"],
  reads: "see_users",
  summary: "Lists dashboard logins",
  flags: {
    account: optional(kind.recordId, { help: "only this account's", example: "1" }),
    limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
      help: "how many at most",
      example: "50",
      fallback: LISTED,
    }),
  },
  examples: ["user list"],
  columns: [
    "user_id",
    "email",
    "role",
    "account_id",
    "second_factor",
    "passkeys",
    "created_at",
    "disabled_at",
  ],
  run: async (context, { flags: { account, limit } }) => {
    const deps = await context.deps();
    const accountId = account === undefined ? null : (await findAccount(deps, account)).id;
    return (await userPage(deps.db, { accountId, afterId: 0, limit })).map(userShape);
  },
});

const RESET_USER = command({
  words: ["user", "reset"],
  here: "it shows a password",
  summary: "Sets a new password, removes codes and passkeys, and ends all sessions",
  positionals: USER,
  flags: {},
  examples: ["user reset ann@acme.com"],
  run: async (context, { positionals }) => {
    const deps = await context.deps();
    const { id, email } = await findUser(deps, first(positionals));
    const wanted = { id };
    return await withPassword(context, userReset, { wanted, email });
  },
});

const SET_USER = operation({
  words: ["user", "set"],
  changes: "manage_users",
  of: ownerOfUser,
  summary: "Gives a login another role and ends all its sessions",
  positionals: USER,
  flags: { role: ROLE },
  examples: ["user set ann@acme.com --role finance"],
  run: async (context, { flags: { role }, positionals }) => {
    const { id } = await findUser(await context.deps(), first(positionals));
    const wanted = { id, role };
    return await changeOrPropose(context, userSetRole, { wanted, shape: userShape });
  },
});

export const DISABLE_USER = operation({
  words: ["user", "disable"],
  changes: "manage_users",
  of: ownerOfUser,
  isUrgent: true,
  summary: "Disables a login and ends all its sessions",
  positionals: USER,
  flags: {},
  examples: ["user disable ann@acme.com"],
  run: async (context, { positionals }) => {
    const deps = await context.deps();
    const { id } = await findUser(deps, first(positionals));
    return userShape(
      await setUserDisabled(deps, {
        id,
        isDisabled: true,
        isOwn: isOwn(context),
        actor: context.actor,
      }),
    );
  },
});

export const ENABLE_USER = operation({
  words: ["user", "enable"],
  changes: "manage_users",
  of: ownerOfUser,
  summary: "Lets a disabled login sign in again",
  positionals: USER,
  flags: {},
  examples: ["user enable ann@acme.com"],
  run: async (context, { positionals }) => {
    const { id } = await findUser(await context.deps(), first(positionals));
    const wanted = { id, isOwn: isOwn(context) };
    return await changeOrPropose(context, userEnable, { wanted, shape: userShape });
  },
});

export const USER_COMMANDS = [
  CREATE_USER,
  LIST_USERS,
  RESET_USER,
  SET_USER,
  DISABLE_USER,
  ENABLE_USER,
];

/** The password is shown only now. If it becomes a proposal, whoever approves it gets one. */
async function withPassword<Wanted extends object>(
  context: Asking,
  change: Guarded<Wanted, UserRow>,
  { email, wanted }: { email: string; wanted: Wanted },
) {
  const password = newPassword();
  const made = await credentialOf(await context.deps(), { email, password });
  const shape = (row: UserRow) => {
    context.note("Save the password now: it won't be shown again.");
    const { user_id, ...rest } = userShape(row);
    return { user_id, password, ...rest };
  };
  return await changeOrPropose(context, change, { wanted, made, shape });
}

async function ownerOfUser(deps: Deps, positionals: readonly string[]) {
  try {
    return (await findUser(deps, first(positionals))).accountId;
  } catch (error) {
    // No account learns who has a login elsewhere.
    if (error instanceof ActionRefused) return undefined;
    throw error;
  }
}
