import type { DatedReport, ReconcileReport } from "../by_hand.ts";
import { surplusUrl } from "../../dashboard/parts/alerts.tsx";
import { AMOUNT, NETWORK } from "../../dashboard/parts/columns.tsx";
import { Card, Money, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { actorName } from "../../audit/parts/actor.ts";
import { Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";

interface ResultProps {
  readonly visit: Visit;
  readonly latest: DatedReport;
}

export const Result = ({ visit, latest: { report, atMs, actor } }: ResultProps) => (
  <Card title="Latest result" actions={<ReportVerdict report={report} />}>
    <p class="quiet">
      <Time atMs={atMs} /> by <bdi>{actorName(visit, actor)}</bdi>,{" "}
      {report.network ?? "all networks"}
      {report.isEverywhere && ", full comparison"}, in {Math.ceil(report.tookMs / 1000)} s
    </p>
    <Gaps report={report} />
    {!report.isEverywhere && (
      <p class="quiet">
        Tokens were checked only where the books have some, and coins also on every address of
        networks without traces. A full comparison checks everything else.
      </p>
    )}
    <Differences visit={visit} report={report} />
    <SurplusTable visit={visit} report={report} />
    <WrongInvoices report={report} />
  </Card>
);

/** What was not compared. */
const Gaps = ({ report }: { report: ReconcileReport }) => (
  <>
    {report.fault !== null && <p class="message fault">Ended early: {report.fault}</p>}
    {report.skipped.map(({ network, reason }) => (
      <p class="message warn">
        {network} was not compared with its chain: {reason}
      </p>
    ))}
  </>
);

export const ReportVerdict = ({ report }: { report: ReconcileReport }) => {
  if (report.differenceCount > 0 || (report.invoices?.length ?? 0) > 0) {
    return <Status value="failed" />;
  }
  return <Status value={report.fault === null && report.skipped.length === 0 ? "ok" : "unknown"} />;
};

interface TableProps {
  readonly visit: Visit;
  readonly report: ReconcileReport;
}

const Differences = ({ visit, report }: TableProps) => (
  <>
    <h3>Differences: {report.differenceCount}</h3>
    <Table
      caption="Differences"
      rows={report.differences}
      empty="No differences"
      columns={[
        {
          title: "Account",
          cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} />,
        },
        { title: "Currency", cell: coinText },
        {
          title: "Expected",
          isNumber: true,
          cell: ({ expected }) => <Money amount={expected} isWhole />,
        },
        { title: "Found", isNumber: true, cell: ({ found }) => <Money amount={found} isWhole /> },
        { title: "Details", cell: ({ detail }) => detail },
      ]}
    />
  </>
);

const WrongInvoices = ({ report: { invoices = [] } }: { report: ReconcileReport }) =>
  invoices.length > 0 && (
    <p class="message warn">
      What was kept of these invoices differed from their payments and refunds, and is right now:
      {invoices.map(({ invoiceId: id }) => (
        <>
          {" "}
          <a href={`${BASE}/invoices/${id}`}>{id}</a>
        </>
      ))}
    </p>
  );

const SurplusTable = ({ visit, report }: TableProps) => (
  <>
    <h3>Unexplained surplus: {report.surplusCount}</h3>
    <Table
      caption="Surplus"
      rows={report.surplus}
      empty="None"
      columns={[
        {
          title: "Account",
          cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} />,
        },
        AMOUNT,
        NETWORK,
        { title: "Address", cell: ({ address }) => <code>{address}</code> },
        {
          title: "Actions",
          isTitleHidden: true,
          cell: (row) => <a href={surplusUrl(row)}>Review and credit</a>,
        },
      ]}
    />
  </>
);
