import { familyOf } from "../../../chains/registry.ts";
import { withdrawalsListed } from "../../../store/reads/lists/withdrawals.ts";
import type { PageOf } from "../../../store/reads/pages/page.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { AMOUNT, STATUS } from "../../parts/columns.tsx";
import { Card, Time } from "../../parts/facts.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { BASE, type Visit } from "../../visit.ts";

const SHOWN = 5;
const FIRST = "This is the only payout to this address so far";

/** What the account paid there before and since. */
export const RecipientHistory = async (
  { visit, row, network }: { visit: Visit; row: WithdrawalRow; network: NetworkRow },
) => {
  const { rows, next } = await paidTo(visit, { row, network });
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

async function paidTo(
  { deps: { db, memory, catalog } }: Visit,
  { row, network }: { row: WithdrawalRow; network: NetworkRow },
): Promise<PageOf<WithdrawalRow>> {
  const { currencies } = await catalog.current();
  return await withdrawalsListed(db, {
    accountId: row.accountId,
    spans: memory.idSpans,
    assets: currencies.filter((one) => one.network === row.network),
    isAssetChosen: true,
    status: null,
    recipient: { address: row.toAddress, hasOneSpelling: !hasSpellings(network, row.toAddress) },
    reference: null,
    ...{ fromMs: null, untilMs: null, cursor: null, limit: SHOWN + 2 },
  });
}

/** Whether the same address can be written with other letters. */
function hasSpellings({ family }: NetworkRow, address: string): boolean {
  return familyOf(family).isAddress(address.toLowerCase());
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
