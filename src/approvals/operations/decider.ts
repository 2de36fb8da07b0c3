import { findUser } from "../../access/manage_users.ts";
import { proveUser } from "../../access/prove_user.ts";
import { COMMAND_LINE, type Decider, deciderOf } from "../decider.ts";
import { hasSecondFactor } from "../../access/rules/second_factors.ts";
import type { UserRow } from "../../access/tables/users.ts";
import * as kind from "../../domain/kinds.ts";
import { type Context } from "../../operations/command.ts";
import { optional } from "../../operations/operation.ts";

export const AS = optional(kind.text({ max: 254, word: "EMAIL" }), {
  help: "who decides; asks for their code, or their password if they have no second factor; " +
    "with only a passkey, for a recovery code",
  example: "ann@acme.com",
});

/** Commands that don't say who decides count as one person. */
export async function deciderFor(context: Context, email: string | undefined): Promise<Decider> {
  if (email === undefined) return { person: COMMAND_LINE, actor: context.actor, user: undefined };
  const deps = await context.deps();
  const user = await findUser(deps, email);
  const what = secretOf(user);
  const secret = (await context.host.readSecret(`${what} of ${user.email}: `) ?? "").trim();
  await proveUser(deps, { user, secret });
  return deciderOf(user, `user:${user.id}`);
}

/** Passkeys only work in a browser. */
function secretOf(user: UserRow): string {
  if (user.totpSealed !== null) return "Code";
  return hasSecondFactor(user) ? "Recovery code" : "Password";
}
