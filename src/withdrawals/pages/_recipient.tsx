import { rowsOf } from "../../operations/lists/list.ts";
import { WITHDRAWALS } from "../list.ts";
import type { PageOf } from "../../store/lists/order.ts";
import type { WithdrawalRow } from "../table.ts";
import { AMOUNT, STATUS } from "../../dashboard/parts/columns.tsx";
import { Card, Time } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const SHOWN = 5;
const FIRST = "This is the only payout to this address so far";

/** What the account paid there before and since. */
export const RecipientHistory = async (
  { visit, row }: { visit: Visit; row: WithdrawalRow },
) => {
  const { rows, next } = await paidTo(visit, row);
  const shown = rows.filter(({ id }) => id !== row.id).slice(0, SHOWN);
  return (
    <Card title="Other payouts to this recipient">
      <Table
        caption="Other payouts to this recipient"
        rows={shown}
        columns={COLUMNS}
        empty={next === null ? FIRST : "None among the newest payouts"}
      />
      {rows.length > SHOWN + 1 && <p class="quiet">{`The newest ${SHOWN} are shown.`}</p>}
    </Card>
  );
};

function paidTo(
  { deps }: Visit,
  { accountId, network, toAddress }: WithdrawalRow,
): Promise<PageOf<WithdrawalRow>> {
  const values = { network, recipient: toAddress };
  return rowsOf(deps, WITHDRAWALS, { accountId, values, cursor: null, limit: SHOWN + 2 });
}

const COLUMNS: readonly Column<WithdrawalRow>[] = [
  {
    title: "Payout",
    at: "title",
    cell: ({ id }) => <a class="row-link" href={`${BASE}/withdrawals/${id}`}>{id}</a>,
  },
  {
    title: "Requested",
    at: "age",
    cell: ({ requestedAtMs }) => <Time atMs={requestedAtMs} />,
  },
  AMOUNT,
  STATUS,
];
