import { isoUtc } from "../../domain/time.ts";
import {
  isOperatorsRule,
  makesLogin,
  type OrderKind,
  type Orders,
  PROPOSAL_MS,
} from "../../domain/access/orders.ts";
import { orderTitle } from "../../domain/access/order_words.ts";
import { type ProposalRow, Proposals } from "../../store/tables/control/proposals.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { waitingProposals } from "../../store/reads/control/proposals.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { SecondPersonNeeded } from "../control/guard.ts";
import { type Actor, asker, type Deps } from "../deps.ts";
import { carryOut, type Made, NOTHING_MADE, type Results } from "./carry_out.ts";

/** Nobody reads more, and whoever may ask could fill the database. */
const WAITING_MAX = 100;

/** Either it is done, or it waits for a second person. */
export type Outcome<T> =
  | { readonly done: T; readonly proposal?: undefined }
  | { readonly proposal: ProposalRow };

interface Asked<K extends OrderKind> {
  readonly kind: K;
  readonly wanted: Orders[K];
  readonly made?: Made;
  readonly actor: Actor;
}

/** Does it, unless dual control wants a second person: then nothing is changed but a proposal made. */
export async function doOrPropose<K extends OrderKind>(
  deps: Deps,
  { made = NOTHING_MADE, ...asked }: Asked<K>,
): Promise<Outcome<Results[K]>> {
  try {
    return { done: await carryOut(deps, { ...asked, made }) };
  } catch (error) {
    if (!(error instanceof SecondPersonNeeded)) throw error;
    return { proposal: await propose(deps, { ...asked, made }, error) };
  }
}

async function propose<K extends OrderKind>(
  deps: Deps,
  { kind, wanted, made, actor }: Asked<K> & { readonly made: Made },
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
      const row = view.insert(Proposals, {
        ...{ kind, wanted, accountId, before, after, ...makesLogin(kind) ? NOTHING_MADE : made },
        ...{ askedBy: name, askedIp: ip, state: "waiting", open: 1 },
        ...{ decidedBy: null, decidedAtMs: null, reason: null },
        ...{ createdAtMs: nowMs, expiresAtMs: nowMs + PROPOSAL_MS },
      });
      const detail = { kind, wanted, accountId, before, after };
      const subject = proposalSubject(row);
      recordAudit(view, { actor, action: "proposal.made", subject, detail, nowMs });
      const text = `Asked for by ${name}${ip === null ? "" : ` from ${ip}`}. ` +
        `It expires on ${isoUtc(row.expiresAtMs)}.`;
      const title = `Proposal ${row.id} waits for a second person: ${orderTitle(row)}`;
      const reader = isOperatorsRule(row) ? null : accountId;
      insertNotice(view, { topic: "approvals", accountId: reader, title, text, nowMs });
      return row;
    },
  });
}

export function proposalSubject({ id }: Pick<ProposalRow, "id">): string {
  return `proposal:${id}`;
}
