import { type Statement, statementOf } from "../../accounts/statement.ts";
import { genuine } from "../tampered.ts";
import { entriesIn, type LedgerSpan } from "../reads/statement.ts";
import { LedgerEntries } from "../table.ts";
import { accountSaid } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { PeriodChoice, periodWanted } from "../../dashboard/parts/lists/period.tsx";
import { PagedTable, pageFrom } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { ASSET_PATH, assetOfPage, thisMonth } from "./_asset.ts";
import { type AssetProps, ChooseAccount } from "./_choose_account.tsx";
import { bookersOf, lineColumns } from "./lines.tsx";
import { Totals } from "./_totals.tsx";

const ROWS = 25;
/** Adding up this many takes two milliseconds. */
const ADDED_MAX = 4_000;

const ledgerPage = page({
  path: ASSET_PATH,
  ability: "see",
  show: async (visit) => {
    const asset = await assetOfPage(visit);
    return asset ? <Ledger visit={visit} asset={asset} /> : <ChooseAccount visit={visit} />;
  },
});

const Ledger = async ({ visit, asset: { account, currency } }: AssetProps) => {
  const { network, symbol } = currency;
  const period = periodWanted(visit, { otherwise: thisMonth(visit) });
  const wanted = { accountId: account.id, network, currency: symbol, ...period };
  const statement = await statementOf(visit.deps, wanted, { addedMax: ADDED_MAX });
  return (
    <Page
      visit={visit}
      title={visit.asset(`${network}/${symbol}`)}
      up={{ path: upPath(visit, account.id), label: "Balances" }}
      actions={<Exports visit={visit} />}
    >
      {visit.seesAll && <p class="quiet whole">Of {accountSaid(account)}</p>}
      <PeriodChoice visit={visit} otherwise={thisMonth(visit)} />
      {period.isMisread && <Misread name={period.name} />}
      <TotalsCard statement={statement} name={period.name} />
      <Card title="Entries">
        <Lines visit={visit} span={statement.span} />
      </Card>
    </Page>
  );
};

const TotalsCard = ({ statement, name }: { statement: Statement; name: string }) => (
  <Card title={`Totals, ${name}`}>
    <Totals statement={statement} />
    {statement.totals === undefined && <TooMany />}
  </Card>
);

function upPath({ seesAll }: Visit, accountId: number): string {
  return seesAll ? `/balances?account=${accountId}` : "/balances";
}

const Misread = ({ name }: { name: string }) => (
  <p class="message warn">
    A period is a month such as 2026-01, or two dates such as 2026-01-31. This is {name}.
  </p>
);

const TooMany = () => (
  <p class="quiet">
    There are many entries, and they are being added up. Reload the page in a moment.
  </p>
);

const Exports = ({ visit: { url, query } }: { visit: Visit }) => {
  const kept = new URLSearchParams(query);
  kept.delete("cursor");
  const text = kept.toString();
  const to = (name: string) => `${url.pathname}/${name}${text === "" ? "" : `?${text}`}`;
  return (
    <>
      <a class="button plain" href={to("statement")}>Statement</a>
      <a class="button plain" href={to("ledger.csv")} download>Export as CSV</a>
    </>
  );
};

const Lines = async ({ visit, span }: { visit: Visit; span: LedgerSpan }) => {
  const { deps } = visit;
  const asked = { ...leftOf(visit, span), limit: ROWS + 1, isNewestFirst: !visit.isOldestFirst };
  const found = await entriesIn(deps.db, asked);
  const { rows, next } = pageFrom(await genuine(deps, LedgerEntries, found), ROWS);
  return (
    <PagedTable
      visit={visit}
      caption="Ledger"
      found={{ rows, next }}
      columns={lineColumns(rows, await bookersOf(visit, rows))}
      empty="Nothing was booked in this period. Choose another one above."
    />
  );
};

/** Beyond the cursor. */
function leftOf({ cursor, isOldestFirst }: Visit, span: LedgerSpan): LedgerSpan {
  if (cursor === null) return span;
  return isOldestFirst
    ? { ...span, fromId: Math.max(cursor + 1, span.fromId) }
    : { ...span, belowId: Math.min(cursor, span.belowId) };
}

export const LEDGER_ROUTES = [ledgerPage];
