import { keysOf } from "../../base/lists.ts";
import { ABILITY_WORDS, isAble, ROLES } from "../rules/roles.ts";
import { nobodys } from "../../operations/owners.ts";
import { operation } from "../../operations/operation.ts";

export const ROLE_COMMANDS = [
  operation({
    words: ["role", "list"],
    reads: "see_users",
    of: nobodys,
    summary: "Lists what users of the dashboard can be allowed to do, and the roles that may",
    flags: {},
    examples: ["role list"],
    columns: ["what", "roles"],
    run: () =>
      Promise.resolve(
        keysOf(ABILITY_WORDS).map((ability) => ({
          ability,
          what: ABILITY_WORDS[ability],
          roles: ROLES.filter((role) => isAble(role, ability)),
        })),
      ),
  }),
];
