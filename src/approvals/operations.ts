import { approveWithdrawal } from "./approve.ts";
import { lookAtPayout } from "./look.ts";
import { AS, deciderFor } from "./operations/decider.ts";
import { openRequests } from "./reads/approvals.ts";
import { rejectWithdrawal } from "./reject.ts";
import { lookShape } from "./shapes.ts";
import { first } from "../base/lists.ts";
import { findAccount } from "../books/find.ts";
import * as kind from "../domain/kinds.ts";
import { command } from "../operations/command.ts";
import {
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { withdrawalShape } from "../withdrawals/shapes.ts";

const ID = { name: "ID", help: "the withdrawal's id" };
/** Each is looked at closely. */
const LISTED = 50;

export const APPROVAL_COMMANDS = [
  operation({
    words: ["approval", "list"],
    reads: "see",
    summary: "Lists withdrawals that a rule holds, with what it takes to decide about each",
    flags: {
      account: optional(kind.recordId, { help: "only this account's", example: "1" }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000 }), {
        help: "how many at most",
        example: "10",
        fallback: LISTED,
      }),
    },
    examples: ["approval list"],
    columns: [
      ...["withdrawal_id", "account_id", "network", "currency", "amount", "to_address"],
      ...["held_back", "looks_like", "payee"],
      ...["paid_before", "requested_by", "key", "requested_from", "rules", "expires_at"],
    ],
    run: async (context, { flags: { account, limit } }) => {
      const deps = await context.deps();
      const accountId = account === undefined ? null : (await findAccount(deps, account)).id;
      const requests = await openRequests(deps.db, { accountId, limit });
      const looks = await Promise.all(requests.map((request) => lookAtPayout(deps, request)));
      return looks.map(lookShape);
    },
  }),
  command({
    words: ["withdrawal", "approve"],
    here: "it takes a person",
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
    here: "it takes a person",
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

function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a withdrawal id`);
  return id;
}
