import { first } from "../../../base/lists.ts";
import { proveUser } from "../../../actions/access/prove_user.ts";
import { findUser } from "../../../actions/access/manage_users.ts";
import { approveWithdrawal } from "../../../actions/approvals/approve.ts";
import { COMMAND_LINE, type Decider, deciderOf } from "../../../actions/approvals/decider.ts";
import { rejectWithdrawal } from "../../../actions/approvals/reject.ts";
import * as kind from "../../../domain/kinds.ts";
import { ACTOR, command, type Context, optional, required, UsageError } from "../../command.ts";
import { withdrawalShape } from "../../shapes/payments.ts";

const ID = { name: "ID", help: "the withdrawal's id" };
const AS = optional(kind.text({ max: 254, word: "EMAIL" }), {
  help: "who decides; asks for their code, or their password if they have no second factor",
  example: "ann@acme.com",
});

export const APPROVAL_COMMANDS = [
  command({
    words: ["withdrawal", "approve"],
    summary: "Approves a withdrawal that a rule holds; with enough approvals it is sent",
    positionals: [ID],
    flags: { as: AS },
    examples: ["withdrawal approve 7", "withdrawal approve 7 --as ann@acme.com"],
    run: async (context, { positionals, flags: { as: email } }) => {
      const id = idOf(positionals);
      const decider = await deciderFor(context, email);
      const { row, given, needed } = await approveWithdrawal(await context.deps(), { id, decider });
      if (given < needed) context.note(`${given} of ${needed} have approved it`);
      return { ...withdrawalShape(row), approvals: given, approvals_needed: needed };
    },
  }),
  command({
    words: ["withdrawal", "reject"],
    summary: "Rejects a withdrawal that a rule holds; its money goes back to the balance",
    positionals: [ID],
    flags: {
      reason: required(kind.text({ max: 500 }), {
        help: "for the audit log",
        example: "Unknown recipient",
      }),
      as: AS,
    },
    examples: ['withdrawal reject 7 --reason "Unknown recipient"'],
    run: async (context, { positionals, flags: { as: email, reason } }) => {
      const id = idOf(positionals);
      const decider = await deciderFor(context, email);
      const row = await rejectWithdrawal(await context.deps(), { id, decider, reason });
      return withdrawalShape(row);
    },
  }),
];

/** All commands that name nobody are one person. */
async function deciderFor(context: Context, email: string | undefined): Promise<Decider> {
  if (email === undefined) return { person: COMMAND_LINE, actor: ACTOR, user: undefined };
  const deps = await context.deps();
  const user = await findUser(deps, email);
  const what = user.totpSealed === null ? "Password" : "Code";
  const secret = (await context.host.readSecret(`${what} of ${user.email}: `) ?? "").trim();
  await proveUser(deps, { user, secret });
  return deciderOf(user, `user:${user.id}`);
}

function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a withdrawal id`);
  return id;
}
