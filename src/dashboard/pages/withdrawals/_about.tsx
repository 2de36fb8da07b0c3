import { HAND_KEY_PREFIX } from "../../../actions/access/manage_api_keys.ts";
import { genuine } from "../../../actions/books/tampered.ts";
import { auditPage } from "../../../store/reads/pages/audit.ts";
import { LedgerEntries } from "../../../store/tables/ledger.ts";
import { ApiKeys } from "../../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../../store/tables/signed_transfers.ts";
import { Users } from "../../../store/tables/users.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { Card } from "../../parts/facts.tsx";
import { Table } from "../../parts/table.tsx";
import type { Visit } from "../../visit.ts";
import { lineColumns } from "../balances/lines.tsx";

const AUDIT_ROWS_MAX = 100;

/** The key by its label, or the person who filled in the form. */
export const AskedBy = async ({ visit, row }: { visit: Visit; row: WithdrawalRow }) => {
  const { deps: { db }, accountId } = visit;
  if (!row.keyId.startsWith(HAND_KEY_PREFIX)) {
    const key = await db.find(ApiKeys, [row.keyId]);
    return (
      <>
        API key <bdi>{key?.label ?? ""}</bdi> <code class="whole">{row.keyId}</code>
      </>
    );
  }
  const subject = `withdrawal:${row.id}`;
  const asked = { actor: null, subject, cursor: null, limit: AUDIT_ROWS_MAX };
  const request = (await auditPage(db, asked)).find(({ action }) =>
    action === "withdrawal.requested"
  );
  const [, userId] = /^user:(\d+)$/.exec(request?.actor ?? "") ?? [];
  const user = userId === undefined ? undefined : await db.find(Users, [Number(userId)]);
  const isOthers = accountId !== null && user?.accountId !== accountId;
  return <bdi>{isOthers ? "the operator" : user?.email ?? "somebody in the dashboard"}</bdi>;
};

/** What it changed in the balance. */
export const LedgerLines = async ({ visit, row }: { visit: Visit; row: WithdrawalRow }) => {
  const { deps } = visit;
  const found = await deps.db.list(LedgerEntries, { withdrawalId: row.id });
  const rows = (await genuine(deps, LedgerEntries, found)).toSorted((a, b) => a.id - b.id);
  return (
    <Card title="In the ledger">
      <Table
        caption="Ledger entries"
        rows={rows}
        columns={lineColumns(new Map())}
        empty="Nothing was booked."
      />
    </Card>
  );
};

const MINUTE_MS = 60_000;
/** A payment that pays the going price is mined sooner. */
const STUCK_AFTER_MS = 3 * MINUTE_MS;

/** How long it has waited, and who can do something about it. */
export const Waiting = (
  { visit, row, bids, canPush }: {
    visit: Visit;
    row: WithdrawalRow;
    bids: readonly SignedTransferRow[];
    canPush: boolean;
  },
) => {
  const newest = bids.at(-1);
  if (row.status !== "broadcasted" || !newest) return null;
  const waitedMs = visit.nowMs - (bids[0]?.createdAtMs ?? visit.nowMs);
  if (bids.some(({ blockHash }) => blockHash !== null) || waitedMs < STUCK_AFTER_MS) return null;
  return (
    <p class="message warn">
      {`Waiting for ${Math.floor(waitedMs / MINUTE_MS)} min, and in no block yet. `}
      {canPush
        ? "It is sent again with a higher fee automatically, or at once with the button below."
        : "It is sent again with a higher fee automatically. Only the operator can do that at once."}
    </p>
  );
};
