import { type BatchListed, batchPage as batchRows } from "../reads.ts";
import { AccountChoice, accountOf, withAccount } from "../../dashboard/parts/account.tsx";
import { Card, EmptyState, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, PagedTable, pageFrom } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const ROWS = 25;

const batchesPage = page({
  path: "/batches",
  ability: "see",
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="Batches"
        up={{ path: "/withdrawals", label: "Payouts" }}
        actions={<NewLink visit={visit} />}
      >
        <AccountChoice visit={visit} account={account} word="Of" />
        {account && <List visit={visit} accountId={account.id} />}
      </Page>
    );
  },
});

const NewLink = ({ visit }: { visit: Visit }) =>
  visit.may("GET", "/batches/new")
    ? <a class="button" href={BASE + withAccount(visit, "/batches/new")}>Pay many at once</a>
    : null;

const List = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const asked = { accountId, ...visit.paging, limit: ROWS + 1 };
  const found = pageFrom(await batchRows(visit.deps.db, asked), ROWS);
  return (
    <Card>
      <PagedTable
        visit={visit}
        caption="Batches"
        found={found}
        columns={COLUMNS}
        empty={
          <EmptyState title="No batches yet">
            A batch pays many recipients from a CSV file, after you have seen all its lines.
          </EmptyState>
        }
      />
    </Card>
  );
};

const COLUMNS: readonly Column<BatchListed>[] = [
  {
    title: "Batch",
    cell: ({ id }) => <a href={`${BASE}/batches/${id}`}>{id}</a>,
  },
  { title: "Checked", isOrder: true, cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Lines", isNumber: true, cell: ({ size }) => size },
  {
    title: "State",
    cell: ({ startedAtMs }) => <Status value={startedAtMs === null ? "not started" : "started"} />,
  },
];

export const BATCH_LIST_ROUTES = [batchesPage];
