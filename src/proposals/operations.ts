import { secretEnd } from "../access/manage_api_keys.ts";
import { credentialOf, newPassword } from "../access/manage_users.ts";
import type { Decider } from "../approvals/decider.ts";
import { AS, deciderFor } from "../approvals/operations/decider.ts";
import { first } from "../base/lists.ts";
import * as kind from "../domain/kinds.ts";
import { command } from "../operations/command.ts";
import {
  type Asking,
  isOwn,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { changeOf, isOperatorsRule } from "./changes.ts";
import { approveProposal, rejectProposal } from "./decide.ts";
import { openProposals, proposalList } from "./reads.ts";
import { proposalShape } from "./shapes.ts";
import { type ProposalRow, Proposals } from "./table.ts";

const ID = { name: "ID", help: "the proposal's id" };
const LISTED = 1000;

export const PROPOSAL_COMMANDS = [
  operation({
    words: ["proposal", "list"],
    reads: "see",
    summary: "Lists changes that wait for a second person, because dual control is on",
    flags: {
      account: optional(kind.recordId, {
        help: "all of this account, also those that were decided",
        example: "1",
      }),
      all: optional(kind.present, { help: "also those that were decided", example: "" }),
      limit: withFallback(kind.integer({ min: 1, max: 1_000_000 }), {
        help: "how many at most",
        example: "50",
        fallback: LISTED,
      }),
    },
    examples: ["proposal list", "proposal list --all"],
    columns: ["proposal_id", "summary", "asked_by", "asked_from", "state", "expires_at"],
    run: async (context, { flags: { account, all, limit } }) => {
      const { db, clock } = await context.deps();
      if (account !== undefined || all) {
        const rows = await proposalList(db, { accountId: account ?? null, limit });
        // Operators' rules are shown to no account.
        return rows.filter((row) => !isOwn(context) || !isOperatorsRule(row)).map(proposalShape);
      }
      const open = await openProposals(db, { limit });
      return open.filter(({ expiresAtMs }) => expiresAtMs > clock.nowMs()).map(proposalShape);
    },
  }),
  command({
    words: ["proposal", "approve"],
    here: "it takes a person",
    summary: "Approves a change that somebody else asked for, which makes it",
    positionals: [ID],
    flags: { as: AS },
    examples: ["proposal approve 7", "proposal approve 7 --as ann@acme.com"],
    run: async (context, { positionals, flags: { as: email } }) => {
      const id = idOf(positionals);
      const decider = await deciderFor(context, email);
      const deps = await context.deps();
      const asked = await deps.db.find(Proposals, [id]);
      if (asked && changeOf(asked).makes === "login") {
        return await approveLogin(context, { row: asked, decider });
      }
      const row = await approveProposal(deps, { id, decider });
      return changeOf(row).makes === "key" ? await keyShape(context, row) : proposalShape(row);
    },
  }),
  command({
    words: ["proposal", "reject"],
    here: "it takes a person",
    summary: "Rejects a change that waits for a second person; nothing is changed",
    positionals: [ID],
    flags: {
      reason: required(kind.text({ max: 500 }), {
        help: "for the audit log",
        example: '"not agreed"',
      }),
      as: AS,
    },
    examples: ['proposal reject 7 --reason "not agreed"'],
    run: async (context, { positionals, flags: { as: email, reason } }) => {
      const id = idOf(positionals);
      const decider = await deciderFor(context, email);
      return proposalShape(await rejectProposal(await context.deps(), { id, decider, reason }));
    },
  }),
];

async function approveLogin(
  context: Asking,
  { row: { id, before, after }, decider }: { row: ProposalRow; decider: Decider },
) {
  const deps = await context.deps();
  const password = newPassword();
  const { email = "" }: { email?: string } = { ...before, ...after };
  const login = await credentialOf(deps, { email, password });
  const row = await approveProposal(deps, { id, decider, login });
  const { proposal_id, ...rest } = proposalShape(row);
  context.note("Pass the password on to the user: it won't be shown again.");
  return { proposal_id, password, ...rest };
}

async function keyShape(context: Asking, row: ProposalRow) {
  const { proposal_id, ...rest } = proposalShape(row);
  const secret_end = await secretEnd(await context.deps(), row);
  context.note("Save the end of the key's secret now. Whoever asked for the key has its start.");
  return { proposal_id, key_id: row.keyId, secret_end, ...rest };
}

function idOf(positionals: readonly string[]): number {
  const id = kind.recordId.read(first(positionals));
  if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a proposal id`);
  return id;
}
