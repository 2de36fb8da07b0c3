import { invariant } from "../base/assert.ts";
import { isoUtc } from "../domain/time.ts";
import { PROPOSAL_MS } from "./rules.ts";
import { type ProposalRow, Proposals } from "./table.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { waitingProposals } from "./reads.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { SecondPersonNeeded } from "../control/guard.ts";
import type { Guarded, Made } from "../control/guarded.ts";
import { type Actor, asker, type Deps } from "../deps/deps.ts";
import { changeOf, isOperatorsRule, proposalSentence } from "./changes.ts";

/** Nobody reads more, and whoever may ask could fill the database. */
const WAITING_MAX = 100;

/** Either it is done, or it waits for a second person. */
export type Outcome<T> =
  | { readonly done: T; readonly proposal?: undefined }
  | { readonly proposal: ProposalRow };

interface Asked<Wanted> {
  readonly wanted: Wanted;
  readonly made?: Made | undefined;
  readonly actor: Actor;
}

/** Does it, unless dual control wants a second person: then nothing is changed but a proposal made. */
export async function doOrPropose<Wanted extends object, Result>(
  deps: Deps,
  change: Guarded<Wanted, Result>,
  asked: Asked<Wanted>,
): Promise<Outcome<Result>> {
  invariant(changeOf(change) === change, "Two changes of one kind");
  const { wanted, ...how } = asked;
  try {
    return { done: await change.run(deps, wanted, how) };
  } catch (error) {
    if (!(error instanceof SecondPersonNeeded)) throw error;
    return { proposal: await propose(deps, { ...asked, change }, error) };
  }
}

const NOTHING_MADE = { passwordHash: null, linkHash: null, keyId: "", secretSealed: null };

async function propose(
  deps: Deps,
  { change: { kind, makes }, wanted, made, actor }: Asked<object> & { readonly change: Guarded },
  { accountId, change: { before, after } }: SecondPersonNeeded,
): Promise<ProposalRow> {
  const name = asker(actor);
  const ip = typeof actor === "string" ? null : actor.ip;
  const waiting = await waitingProposals(deps.db, { accountId, limit: WAITING_MAX });
  if (waiting === WAITING_MAX) throw refuse("proposals_too_many", { max: WAITING_MAX });
  return await deps.db.write({
    reads: [],
    decide: (view) => {
      const { nowMs } = view;
      const row = view.atOnce("it asks for a second person").insert(Proposals, {
        ...{ kind, wanted, accountId, before, after, ...NOTHING_MADE },
        // Whoever approves a login makes its password or link.
        ...makes === "login" ? {} : made,
        ...{ askedBy: name, askedIp: ip, state: "waiting", open: 1 },
        ...{ decidedBy: null, decidedAtMs: null, reason: null },
        ...{ createdAtMs: nowMs, expiresAtMs: nowMs + PROPOSAL_MS },
      });
      const detail = { kind, wanted, accountId, before, after };
      const subject = proposalSubject(row);
      recordAudit(view, { actor, action: "proposal.made", subject, detail, nowMs });
      const text = `Asked for by ${name}${ip === null ? "" : ` from ${ip}`}. ` +
        `It expires on ${isoUtc(row.expiresAtMs)}.`;
      const title = `Proposal ${row.id} waits for you: ${proposalSentence(row)}`;
      const reader = isOperatorsRule(row) ? null : accountId;
      insertNotice(view, { topic: "approvals", accountId: reader, title, text, nowMs });
      return row;
    },
  });
}

export function proposalSubject({ id }: Pick<ProposalRow, "id">): string {
  return `proposal:${id}`;
}
