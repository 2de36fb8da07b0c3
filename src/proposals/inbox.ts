import { inTurn } from "../base/lists.ts";
import { isAble } from "../access/rules/roles.ts";
import { ActionRefused } from "../domain/refusals/refuse.ts";
import { proposalsWaiting, requestsWaiting } from "../approvals/reads/inbox.ts";
import { type ApprovalRequestRow, ApprovalRequests, Approvals } from "../approvals/table.ts";
import { type ProposalRow, Proposals } from "./table.ts";
import type { UserRow } from "../access/tables/users.ts";
import { type Decider, deciderOf, mayDecide as mayDecidePayout } from "../approvals/decider.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { isTheirs, mayDecide } from "./waiting.ts";

/** Of each kind. More are shown once these are decided. */
const SHOWN_MAX = 50;

interface Waits<T> {
  readonly row: T;
  /** Why this user can't decide on it; null: they can. */
  readonly whyNot: string | null;
}

interface Inbox {
  readonly payouts: readonly Waits<ApprovalRequestRow>[];
  readonly proposals: readonly Waits<ProposalRow>[];
  /** Others wait besides those that are shown. */
  readonly isMore: boolean;
  /** How many of them wait for this user: "0", or "50+" if others may too. */
  readonly count: string;
}

const EMPTY: Inbox = { payouts: [], proposals: [], isMore: false, count: "0" };

/** Everything that waits for people and that this user may see. */
export async function inboxOf(deps: Deps, user: UserRow): Promise<Inbox> {
  const { db, clock } = deps;
  const { accountId, role } = user;
  const asked = { accountId, nowMs: clock.nowMs(), limit: SHOWN_MAX + 1 };
  if (!isAble(role, "see")) return EMPTY;
  const [requests, waiting] = await Promise.all([
    requestsWaiting(db, asked),
    proposalsWaiting(db, asked),
  ]);
  const theirs = waiting.filter((row) => isTheirs(row, user));
  const decider = deciderOf(user, "");
  const genuine = await filterGenuine(deps, ApprovalRequests, shownOf(requests));
  const payouts = await Promise.all(genuine.map(async (row) => ({
    row,
    whyNot: await whyNotPayout(deps, { row, decider }),
  })));
  const proposals = (await filterGenuine(deps, Proposals, shownOf(theirs))).map((row) => ({
    row,
    whyNot: refusalIn(() => mayDecide(row, decider)),
  }));
  const isMore = requests.length > SHOWN_MAX || theirs.length > SHOWN_MAX;
  const own = [...payouts, ...proposals].filter(({ whyNot }) => whyNot === null).length;
  return { payouts, proposals, isMore, count: `${own}${isMore ? "+" : ""}` };
}

/** Accounts take turns, so that one with many leaves room for the others. */
function shownOf<Row extends { readonly accountId: number | null; readonly expiresAtMs: number }>(
  rows: readonly Row[],
): Row[] {
  const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
  return inTurn([...byAccount.values()]).slice(0, SHOWN_MAX)
    .toSorted((one, other) => one.expiresAtMs - other.expiresAtMs);
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
