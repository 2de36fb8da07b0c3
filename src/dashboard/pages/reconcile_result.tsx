import type { DatedReport, ReconcileReport } from "../../actions/reconcile/by_hand.ts";
import { surplusUrl } from "../parts/alerts.tsx";
import { AMOUNT, NETWORK } from "../parts/columns.tsx";
import { AccountLink, Card, Money, Status, Time } from "../parts/facts.tsx";
import { Table } from "../parts/table.tsx";

export const Result = ({ latest: { report, atMs, actor } }: { latest: DatedReport }) => (
  <Card title="Latest result" actions={<ReportVerdict report={report} />}>
    <p class="quiet">
      <Time atMs={atMs} /> by {actor}, {report.network ?? "all networks"}
      {report.isEverywhere && ", full comparison"}, in {Math.ceil(report.tookMs / 1000)} s
    </p>
    <Gaps report={report} />
    {!report.isEverywhere && (
      <p class="quiet">
        Tokens were checked only where the books have some, and coins also on every address of
        networks without traces. A full comparison checks everything else.
      </p>
    )}
    <Differences report={report} />
    <SurplusTable report={report} />
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
  if (report.differenceCount > 0) return <Status value="failed" />;
  return <Status value={report.fault === null && report.skipped.length === 0 ? "ok" : "unknown"} />;
};

const Differences = ({ report }: { report: ReconcileReport }) => (
  <>
    <h3>Differences: {report.differenceCount}</h3>
    <Table
      caption="Differences"
      rows={report.differences}
      empty="No differences"
      columns={[
        { title: "Account", cell: ({ accountId }) => <AccountLink id={accountId} /> },
        { title: "Currency", cell: ({ network, currency }) => `${currency} on ${network}` },
        { title: "Expected", isNumber: true, cell: ({ expected }) => <Money amount={expected} /> },
        { title: "Found", isNumber: true, cell: ({ found }) => <Money amount={found} /> },
        { title: "Details", cell: ({ detail }) => detail },
      ]}
    />
  </>
);

const SurplusTable = ({ report }: { report: ReconcileReport }) => (
  <>
    <h3>Unexplained surplus: {report.surplusCount}</h3>
    <Table
      caption="Surplus"
      rows={report.surplus}
      empty="None"
      columns={[
        { title: "Account", cell: ({ accountId }) => <AccountLink id={accountId} /> },
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
