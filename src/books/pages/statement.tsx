import { type Statement, statementOf } from "../../accounts/statement.ts";
import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { ASSET_PATH, assetOfPage, thisMonth } from "./_asset.ts";
import { type AssetProps, ChooseAccount } from "./_choose_account.tsx";
import { Totals } from "./_totals.tsx";
import { bookersOf, lineColumns } from "./lines.tsx";
import { entriesIn } from "../reads/statement.ts";
import { LedgerEntries } from "../table.ts";
import { genuine } from "../tampered.ts";
import { Card, Facts, utcText } from "../../dashboard/parts/facts.tsx";
import { periodWanted } from "../../dashboard/parts/lists/period.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { Period } from "../../domain/money/period.ts";

/** With more, the page would be too heavy. */
const LINES_MAX = 120;

const statementPage = page({
  path: `${ASSET_PATH}/statement`,
  ability: "see",
  show: async (visit) => {
    const asset = await assetOfPage(visit);
    return asset ? <Whole visit={visit} asset={asset} /> : <ChooseAccount visit={visit} />;
  },
});

const Whole = async ({ visit, asset: { account, currency } }: AssetProps) => {
  const { network, symbol } = currency;
  const period = periodWanted(visit, { otherwise: thisMonth(visit) });
  const wanted = { accountId: account.id, network, currency: symbol, ...period };
  const statement = await statementOf(visit.deps, wanted);
  return (
    <Page
      visit={visit}
      title={`Statement of ${visit.asset(`${network}/${symbol}`)}`}
      up={{ path: ledgerPath(visit), label: "Ledger" }}
      actions={<Actions visit={visit} />}
    >
      <Card title={account.name}>
        <About account={account} period={period} nowMs={visit.nowMs} />
        <Totals statement={statement} />
      </Card>
      <Card title="Entries">
        <Lines visit={visit} statement={statement} />
      </Card>
    </Page>
  );
};

const About = (
  { account, period, nowMs }: { account: AccountRow; period: Period; nowMs: number },
) => (
  <Facts
    rows={[
      ["Account", <bdi>{`${account.name} (number ${account.id})`}</bdi>],
      ["Period", period.name],
      ["From", period.fromMs === null ? "the first entry" : utcText(period.fromMs)],
      ["Until", period.untilMs === null ? "now" : utcText(period.untilMs - 1_000)],
      ["Created", utcText(nowMs)],
    ]}
  />
);

function ledgerPath({ url }: Visit): string {
  return url.pathname.slice(BASE.length).replace(/\/statement$/, "") + url.search;
}

const Actions = ({ visit: { url } }: { visit: Visit }) => (
  <>
    <button type="button" data-print hidden>Print</button>
    <a
      class="button plain"
      href={url.pathname.replace(/statement$/, "ledger.csv") + url.search}
      download
    >
      Export as CSV
    </a>
  </>
);

const Lines = async ({ visit, statement: { span } }: { visit: Visit; statement: Statement }) => {
  const { deps } = visit;
  const found = await entriesIn(deps.db, { ...span, limit: LINES_MAX + 1 });
  if (found.length > LINES_MAX) {
    return <p>{`More than ${LINES_MAX} entries. All of them are in the CSV.`}</p>;
  }
  const rows = await genuine(deps, LedgerEntries, found);
  return (
    <Table
      caption="Entries"
      rows={rows}
      columns={lineColumns(rows, await bookersOf(visit, rows))}
      empty="Nothing was booked in this period."
    />
  );
};

export const STATEMENT_ROUTES = [statementPage];
