import type { Db } from "../store/engine/db.ts";
import { AuditLog, type AuditRow } from "../audit/table.ts";
import { type ProposalRow, Proposals } from "./table.ts";

/** Exactly as in the index that finds them. */
const SAID = `action NOT GLOB 'withdrawal.*' AND action IN (
  'dual_control.switched',
  'proposal.made',
  'proposal.approved',
  'proposal.rejected',
  'proposal.expired'
)`;
const SAID_MAX = 10;

/** What the log says last of a proposal, or of whether dual control is on; newest first. */
export function saidOfControl(db: Db, subject: string): Promise<AuditRow[]> {
  return db.rows(
    AuditLog,
    `INDEXED BY audit_log_dual_control
WHERE subject = ? AND ${SAID} ORDER BY id DESC LIMIT ?`,
    [subject, SAID_MAX],
  );
}

/** Whether dual control was on when it was last switched. */
export async function lastSwitch(db: Db, subject: string): Promise<boolean> {
  const [last] = await saidOfControl(db, subject);
  return last?.detail.after === true;
}

/** Those that wait, the first to expire first. */
export function openProposals(db: Db, { limit }: { limit: number }): Promise<ProposalRow[]> {
  return db.rows(
    Proposals,
    "INDEXED BY proposals_open WHERE open = 1 ORDER BY expires_at_ms LIMIT ?",
    [limit],
  );
}

/** How many wait for the people of one account, or for those of the whole installation. */
export async function waitingProposals(db: Db, { accountId, limit }: Wanted): Promise<number> {
  const rows = await db.query(
    `SELECT 1
FROM proposals INDEXED BY proposals_waiting
WHERE account_id IS ? AND open = 1
LIMIT ?`,
    [accountId, limit],
  );
  return rows.length;
}

/** Those whose time is over. */
export function overdueProposals(
  db: Db,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<ProposalRow[]> {
  return db.rows(
    Proposals,
    `INDEXED BY proposals_open
WHERE open = 1 AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ?`,
    [nowMs, limit],
  );
}

interface Wanted {
  readonly accountId: number | null;
  readonly limit: number;
}

/** Whatever became of them, newest first; of one account, or all. */
export function proposalList(db: Db, { accountId, limit }: Wanted): Promise<ProposalRow[]> {
  if (accountId === null) return db.rows(Proposals, "ORDER BY id DESC LIMIT ?", [limit]);
  return db.rows(
    Proposals,
    "INDEXED BY proposals_account WHERE account_id = ? ORDER BY id DESC LIMIT ?",
    [accountId, limit],
  );
}
