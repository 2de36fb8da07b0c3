import { Accounts } from "../../accounts/tables/accounts.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "../../approvals/table.ts";
import { auditPage } from "../../audit/reads/page.ts";
import type { AuditRow } from "../../audit/table.ts";
import { present } from "../../base/assert.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../books/table.ts";
import { genuine } from "../../books/tampered.ts";
import { depthOf } from "../../dashboard/parts/signed.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { topHeights } from "../../deposits/reads/transactions.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { type WhyUnsigned, whyUnsigned } from "../../payouts/why_unsigned.ts";
import { eventsOfPayout, type PaymentEvent } from "../../store/reads/pages/payment_events.ts";
import { signedForWithdrawal } from "../../transfers/reads/transfers.ts";
import type { Paying } from "../../transfers/table.ts";
import type { WithdrawalTrigger } from "../rules/moves.ts";
import type { WithdrawalRow } from "../table.ts";
import type { PayoutKnown } from "../words/payout_state.ts";

const AUDITED_MAX = 100;
const MINUTE_MS = 60_000;
/** A payment that pays the going price is mined sooner. */
const STUCK_AFTER_MS = 3 * MINUTE_MS;

/** What changes while the page is open. */
export interface Progress {
  readonly row: WithdrawalRow;
  readonly network: NetworkRow;
  /** Signed for it, in order. */
  readonly bids: readonly Paying[];
  readonly request: ApprovalRequestRow | undefined;
  readonly depth: number | undefined;
  readonly waitedMs: number;
  readonly isStuck: boolean;
}

/** A payout and everything around it. */
export interface Story extends Progress {
  readonly top: number;
  readonly whys: readonly WhyUnsigned[];
  readonly entries: readonly LedgerEntryRow[];
  readonly events: readonly PaymentEvent[];
  /** Newest first. */
  readonly audited: readonly AuditRow[];
  /** When its hold was released. */
  readonly endedAtMs: number | null;
  readonly ending: WithdrawalTrigger | undefined;
  readonly canPush: boolean;
}

export async function progressOf(visit: Visit, row: WithdrawalRow): Promise<Progress> {
  return (await readProgress(visit, row)).progress;
}

async function readProgress(visit: Visit, row: WithdrawalRow) {
  const { deps: { db, catalog }, nowMs } = visit;
  const [listed, bids, heights, request] = await Promise.all([
    catalog.current(),
    signedForWithdrawal(db, row.id),
    topHeights(db),
    row.approval === null ? undefined : db.find(ApprovalRequests, [row.id]),
  ]);
  const network = present(listed.network(row.network), "Networks stay");
  const top = heights.get(row.network) ?? 0;
  const depth = depthOf(bids.map(({ tx }) => tx), top);
  const waitedMs = nowMs - (bids[0]?.tx.createdAtMs ?? nowMs);
  const isWaiting = row.status === "broadcasted" && depth === undefined && bids.length > 0;
  const isStuck = isWaiting && waitedMs >= STUCK_AFTER_MS;
  return { top, progress: { row, network, bids, request, depth, waitedMs, isStuck } };
}

export async function storyOf(visit: Visit, row: WithdrawalRow): Promise<Story> {
  const { deps } = visit;
  const isUnsigned = row.status === "pending" && row.transferId === null;
  const subject = `withdrawal:${row.id}`;
  const [{ progress, top }, whys, found, audited, account] = await Promise.all([
    readProgress(visit, row),
    isUnsigned ? whyUnsigned(deps, row) : [],
    deps.db.list(LedgerEntries, { withdrawalId: row.id }),
    auditPage(deps.db, { actor: null, subject, cursor: null, limit: AUDITED_MAX }),
    deps.db.find(Accounts, [row.accountId]),
  ]);
  const entries = (await genuine(deps, LedgerEntries, found)).toSorted((a, b) => a.id - b.id);
  const endedAtMs = entries.find(({ kind }) => kind === "release")?.createdAtMs ?? null;
  return {
    ...progress,
    ...{ top, whys, entries, audited, endedAtMs, ending: endingIn(audited) },
    events: await eventsOfPayout(deps.db, { ...row, endedAtMs }),
    canPush: visit.isOperator || account?.mayPush === true,
  };
}

/** The row says it for failures only. */
function endingIn(audited: readonly AuditRow[]): WithdrawalTrigger | undefined {
  const triggers = ["cancelled", "rejected", "expired"] as const;
  return triggers.find((trigger) =>
    audited.some(({ action }) => action === `withdrawal.${trigger}`)
  );
}

export function knownOf(story: Story): PayoutKnown {
  const { row, whys, request, depth, bids, network, ending } = story;
  return {
    ...{ row, whys, depth, ending, approvals: request },
    isSigned: row.transferId !== null,
    blocksNeeded: network.minConfirmations,
    isRevoked: newestOpen(bids)?.payment.purpose === "void",
  };
}

/** The one that may still be mined, if none was. */
export function newestOpen(bids: readonly Paying[]): Paying | undefined {
  return bids.findLast(({ tx }) => tx.state === "open" && tx.isLive);
}

/** The page loads again when this changes. */
export function reloadOf({ row, bids, request, isStuck }: Progress): string {
  const mined = bids.find(({ tx }) => tx.blockHash !== null);
  return [
    ...[row.status, row.txHash, row.approval, row.transferId],
    ...[bids.length, mined?.tx.blockHash, request?.given, isStuck],
  ].join(" ");
}

export function minutesOf({ waitedMs }: Progress): string {
  return `${Math.floor(waitedMs / MINUTE_MS)} min`;
}
