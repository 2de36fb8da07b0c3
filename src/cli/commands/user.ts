import { first } from "../../base/lists.ts";
import {
  createUser,
  findUser,
  newPassword,
  resetUser,
  setUserDisabled,
} from "../../actions/access/manage_users.ts";
import { ROLE_WORDS, ROLES } from "../../domain/access/roles.ts";
import { userPage } from "../../store/reads/pages/users.ts";
import { ACTOR, command, type Context, optional, required, withFallback } from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { userShape } from "../shapes/shapes.ts";

const LISTED = 1000;
const USER = [{ name: "USER", help: "their id or email" }];

export const USER_COMMANDS = [
  command({
    words: ["user", "create"],
    summary: "Creates a dashboard login and shows its password, only this once",
    flags: {
      email: required(kind.text({ max: 254 }), {
        help: "to sign in with",
        example: "ann@acme.com",
      }),
      role: required(kind.choice(ROLES), {
        help: ROLES.map((role) => `${role}: ${ROLE_WORDS[role]}`).join("; "),
        example: "merchant",
      }),
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
      const password = newPassword();
      const order = { email, role, accountId, actor: ACTOR };
      const user = await createUser(await context.deps(), order, password);
      context.note("Save the password now: it won't be shown again.");
      const { user_id, ...rest } = userShape(user);
      return { user_id, password, ...rest };
    },
  }),
  command({
    words: ["user", "list"],
    summary: "Lists dashboard logins",
    flags: {
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
      "created_at",
      "disabled_at",
    ],
    run: async (context, { flags: { limit } }) =>
      (await userPage((await context.deps()).db, { afterId: 0, limit })).map(userShape),
  }),
  command({
    words: ["user", "reset"],
    summary: "Sets a new password, turns the second factor off and ends all sessions",
    positionals: USER,
    flags: {},
    examples: ["user reset ann@acme.com"],
    run: async (context, { positionals }) => {
      const deps = await context.deps();
      const { id } = await findUser(deps, first(positionals));
      const password = newPassword();
      const user = await resetUser(deps, { id, password, actor: ACTOR });
      context.note("Save the password now: it won't be shown again.");
      const { user_id, ...rest } = userShape(user);
      return { user_id, password, ...rest };
    },
  }),
  command({
    words: ["user", "disable"],
    summary: "Disables a login and ends all its sessions",
    positionals: USER,
    flags: {},
    examples: ["user disable ann@acme.com"],
    run: (context, { positionals }) => setDisabled(context, first(positionals), true),
  }),
  command({
    words: ["user", "enable"],
    summary: "Lets a disabled login sign in again",
    positionals: USER,
    flags: {},
    examples: ["user enable ann@acme.com"],
    run: (context, { positionals }) => setDisabled(context, first(positionals), false),
  }),
];

async function setDisabled(context: Context, idOrEmail: string, isDisabled: boolean) {
  const deps = await context.deps();
  const { id } = await findUser(deps, idOrEmail);
  return userShape(await setUserDisabled(deps, { id, isDisabled, actor: ACTOR }));
}
