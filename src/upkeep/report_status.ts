import { type Health, statusOf } from "../networks/rules/network_health.ts";
import { isStalled } from "../networks/stalled.ts";
import type { AlertRow, NoticeReceiverRow } from "../alerts/table.ts";
import type { ApprovalRequestRow } from "../approvals/table.ts";
import type { FreezeRow } from "../books/table.ts";
import type { NetworkCursorRow } from "../following/table.ts";
import type { StopRow } from "../integrity/table.ts";
import { allFreezes } from "../store/reads/few_rows.ts";
import { openRequests } from "../approvals/reads/approvals.ts";
import { networkHealth, openCounts } from "../networks/reads/health.ts";
import { noticeReceivers } from "../notifications/reads/notices.ts";
import { pressingAlerts } from "../store/reads/pages/lists.ts";
import { whyNoWrites } from "../store/engine/write_probe.ts";
import { findStop } from "../integrity/manage_stop.ts";
import { type BackupNote, lastBackup } from "../restore/note_backup.ts";
import type { WalletLook } from "../wallets/look.ts";
import { WATCHED_MAX, watchWallets } from "../wallets/watch.ts";
import type { Deps } from "../deps/deps.ts";
import { servingInstances } from "./membership.ts";

interface NetworkStatus {
  readonly cursor: NetworkCursorRow;
  readonly health: Health;
  /** When its newest block was made, if that is too long ago. */
  readonly stalledAtMs: number | null;
}

export interface GatewayStatus {
  /** Why the database takes no writes; null if it does. */
  readonly noWrites: string | null;
  readonly instances: number;
  readonly stop: StopRow | undefined;
  readonly networks: readonly NetworkStatus[];
  /** Those that need something come first. */
  readonly wallets: readonly WalletLook[];
  /** There are more than these. */
  readonly isCut: boolean;
  readonly freezes: readonly FreezeRow[];
  readonly openAlerts: number;
  /** The newest of them. */
  readonly alerts: readonly AlertRow[];
  /** Withdrawals that wait for people, those that expire first. */
  readonly approvals: readonly ApprovalRequestRow[];
  /** Of notifications: people hear nothing of what happens. */
  readonly deaf: readonly NoticeReceiverRow[];
  readonly backup: BackupNote | undefined;
  readonly nowMs: number;
}

const ALERTS_SHOWN = 5;
const APPROVALS_SHOWN = 20;

/** Nodes that don't answer within `waitMs` leave balances unknown. */
export async function reportStatus(
  deps: Deps,
  { waitMs, databaseUrl: url }: { waitMs: number; databaseUrl: string },
): Promise<GatewayStatus> {
  const { db } = deps;
  const [
    noWrites,
    instances,
    stop,
    cursors,
    watched,
    freezes,
    counts,
    open,
    backup,
    approvals,
    receivers,
  ] = await Promise.all([
    whyNoWrites(db, { url }),
    servingInstances(deps),
    findStop(db),
    networkHealth(db),
    watchWallets(deps, { shownMax: WATCHED_MAX, waitMs }),
    allFreezes(db),
    openCounts(db),
    pressingAlerts(db, ALERTS_SHOWN),
    lastBackup(db),
    openRequests(db, { limit: APPROVALS_SHOWN }),
    noticeReceivers(db),
  ]);
  const nowMs = deps.clock.nowMs();
  const catalog = await deps.catalog.current();
  return {
    noWrites,
    instances: instances.length,
    stop,
    networks: cursors.map((cursor) => {
      const { tipAtMs, network } = cursor;
      const row = catalog.network(network);
      const isOld = row !== undefined && isStalled(row, { tipAtMs, nowMs });
      return { cursor, health: statusOf(cursor, nowMs), stalledAtMs: isOld ? tipAtMs : null };
    }),
    wallets: watched.looks,
    isCut: watched.isCut,
    freezes,
    openAlerts: counts.alerts,
    alerts: open,
    approvals,
    deaf: receivers.filter(({ failingSinceMs }) => failingSinceMs !== null),
    backup,
    nowMs,
  };
}

/** A wallet below its target can still pay, and one whose account owns nothing needn't. */
export function cannotPay({ row, level, stocks }: WalletLook): boolean {
  if (level === "halted") return true;
  const hasToPay = row.purpose === "gas" || stocks.some(({ isOwed }) => isOwed);
  return stocks.some(({ held, needed, level }) =>
    level === "empty" && hasToPay || held !== undefined && held.isLessThan(needed)
  );
}
