import { isAble } from "../../domain/access/roles.ts";
import { ActionRefused } from "../../domain/refusals/refuse.ts";
import { proposalsWaiting, requestsWaiting } from "../../store/reads/control/inbox.ts";
import {
  type ApprovalRequestRow,
  ApprovalRequests,
  Approvals,
} from "../../store/tables/control/approvals.ts";
import { type ProposalRow, Proposals } from "../../store/tables/control/proposals.ts";
import type { UserRow } from "../../store/tables/users.ts";
import { type Decider, deciderOf, mayDecide as mayDecidePayout } from "../approvals/decider.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { isTheirs, mayDecide } from "./waiting.ts";

/** More are shown once these are decided. */
const SHOWN_MAX = 50;

interface Waits<T> {
  readonly row: T;
  /** Why this user can't decide on it; null: they can. */
  readonly whyNot: string | null;
}

interface Inbox {
  readonly payouts: readonly Waits<ApprovalRequestRow>[];
  readonly proposals: readonly Waits<ProposalRow>[];
  /** How many of them wait for this user. */
  readonly count: number;
}

const EMPTY: Inbox = { payouts: [], proposals: [], count: 0 };

/** Everything that waits for people and that this user may see. */
export async function inboxOf(deps: Deps, user: UserRow): Promise<Inbox> {
  const { db, clock } = deps;
  const { accountId, role } = user;
  const asked = { accountId, nowMs: clock.nowMs(), limit: SHOWN_MAX };
  if (!isAble(role, "see")) return EMPTY;
  const [requests, waiting] = await Promise.all([
    requestsWaiting(db, asked),
    proposalsWaiting(db, asked),
  ]);
  const decider = deciderOf(user, "");
  const genuine = await filterGenuine(deps, ApprovalRequests, requests);
  const payouts = await Promise.all(genuine.map(async (row) => ({
    row,
    whyNot: await whyNotPayout(deps, { row, decider }),
  })));
  const theirs = waiting.filter((row) => isTheirs(row, user));
  const proposals = (await filterGenuine(deps, Proposals, theirs)).map((row) => ({
    row,
    whyNot: refusalIn(() => mayDecide(row, decider)),
  }));
  const count = [...payouts, ...proposals].filter(({ whyNot }) => whyNot === null).length;
  return { payouts, proposals, count };
}

async function whyNotPayout(
  { db }: Deps,
  { row, decider }: { row: ApprovalRequestRow; decider: Decider },
): Promise<string | null> {
  const { withdrawalId, requestedBy, given } = row;
  const { person } = decider;
  if (requestedBy === person) return "You asked for it yourself";
  const own = given > 0 && await db.find(Approvals, [withdrawalId, person], "person");
  return own ? "You have approved it" : refusalIn(() => mayDecidePayout(row, decider));
}

function refusalIn(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ActionRefused) return error.message;
    throw error;
  }
}
