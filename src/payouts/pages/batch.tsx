import { withAccount } from "../../dashboard/parts/account.tsx";
import { Card, Hash, Money, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, PagedTable, Table } from "../../dashboard/parts/table.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { batchState, type LineState } from "../batch_state.ts";
import { type BatchSum, batchSums, isCovered } from "../check_batch.ts";
import { sendBatch } from "../send_batch.ts";
import { isUnpaid } from "../../withdrawals/rules/moves.ts";
import { PayoutBatches, type PayoutBatchRow } from "../../withdrawals/table.ts";
import { refusalOfLine, sumFaults } from "../../withdrawals/words/payouts.ts";

const ROWS = 100;

const Lines = ({ visit, lines }: { visit: Visit; lines: readonly LineState[] }) => {
  const from = visit.cursor ?? 0;
  const rows = lines.filter(({ line }) => line > from);
  const shown = rows.slice(0, ROWS);
  const next = rows.length > ROWS ? shown.at(-1)?.line ?? null : null;
  return (
    <PagedTable
      visit={visit}
      caption="Lines"
      found={{ rows: shown, next }}
      columns={LINE_COLUMNS}
      empty="No more lines."
    />
  );
};

const LINE_COLUMNS: readonly Column<LineState>[] = [
  { title: "Line", isNumber: true, cell: ({ line }) => line },
  { title: "To", cell: ({ toAddress }) => <Hash text={toAddress} /> },
  {
    title: "Amount",
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isWhole />,
  },
  {
    title: "Reference",
    isMinor: true,
    cell: ({ reference }) => <bdi class="whole">{reference}</bdi>,
  },
  { title: "Payout", cell: (line) => <Result line={line} /> },
];

const PATH = "/batches/:id{[0-9]+}";

const ownBatch = async (visit: Visit): Promise<PayoutBatchRow> =>
  visit.own(await visit.deps.db.find(PayoutBatches, [visit.id()]));

const batchPage = page({
  path: PATH,
  ability: "see",
  show: async (visit) => {
    const batch = await ownBatch(visit);
    const lines = await batchState(visit.deps, batch);
    return (
      <Page
        visit={visit}
        title={`Batch ${batch.id}`}
        up={{ path: withAccount(visit, "/batches", batch.accountId), label: "Batches" }}
        reload={stateOf(lines)}
        isLive
      >
        {batch.startedAtMs === null
          ? <Draft visit={visit} batch={batch} />
          : <Progress visit={visit} batch={batch} lines={lines} />}
        <Card title="Lines">
          <Lines visit={visit} lines={lines} />
        </Card>
      </Page>
    );
  },
  live: async (visit) => {
    const batch = await ownBatch(visit);
    return { reload: stateOf(await batchState(visit.deps, batch)) };
  },
});

function stateOf(lines: readonly LineState[]): string {
  return lines.map(({ withdrawal }) => withdrawal?.status[0] ?? "-").join("");
}

/** What will leave the balance, and whether it can. */
const Draft = async ({ visit, batch }: { visit: Visit; batch: PayoutBatchRow }) => {
  const { accountId, lines, size, createdAtMs } = batch;
  const sums = await batchSums(visit.deps, { accountId, lines });
  const faults = sums.flatMap(sumFaults);
  const isReady = sums.length > 0 && sums.every(isCovered);
  return (
    <Card title="Nothing is paid yet" actions={<Time atMs={createdAtMs} />}>
      <Table
        caption="Sums"
        rows={sums}
        columns={sumColumns(visit)}
        empty="No currency can be paid."
      />
      {faults.map(({ text }) => <p class="message warn">{text}</p>)}
      {isReady && (
        <Form visit={visit} action={sendPath(batch)} isInline>
          <Submit>{size === 1 ? "Pay 1 recipient" : `Pay ${size} recipients`}</Submit>
          <a class="button plain" href={BASE + withAccount(visit, "/batches/new", accountId)}>
            Start over
          </a>
        </Form>
      )}
    </Card>
  );
};

function sendPath({ id }: PayoutBatchRow): string {
  return `/batches/${id}/send`;
}

const sumColumns = (visit: Visit): readonly Column<BatchSum>[] => [
  { title: "Currency", cell: ({ asset }) => <strong>{visit.asset(asset)}</strong> },
  { title: "Payouts", isNumber: true, cell: ({ lines }) => lines },
  {
    title: "Recipients get",
    isNumber: true,
    cell: ({ amount }) => <Money amount={amount.toString()} />,
  },
  { title: "Fees", isNumber: true, cell: ({ fee }) => <Money amount={fee.toString()} /> },
  {
    title: "Leaves the balance",
    isNumber: true,
    cell: ({ cost }) => <Money amount={cost.toString()} />,
  },
  {
    title: "Available",
    isNumber: true,
    isMinor: true,
    cell: ({ available }) => <Money amount={available.toString()} />,
  },
  {
    title: "In the hot wallet",
    isNumber: true,
    isMinor: true,
    cell: ({ hot }) => hot ? <Money amount={hot.toString()} /> : "unknown",
  },
];

const Progress = (
  { visit, batch, lines }: { visit: Visit; batch: PayoutBatchRow; lines: readonly LineState[] },
) => {
  const asked = lines.flatMap(({ withdrawal }) => withdrawal ?? []);
  const waiting =
    asked.filter(({ status, approval }) => status === "pending" && approval === "waiting").length;
  const failed = asked.filter(({ status }) => isUnpaid(status)).length;
  const isWhole = asked.length === lines.length;
  const sent = asked.length - waiting;
  return (
    <Card title={`${sent} of ${lines.length} sent`} actions={<Time atMs={batch.startedAtMs} />}>
      <progress max={lines.length} value={sent} aria-label="Lines that were sent"></progress>
      {failed > 0 && <Failed count={failed} />}
      {waiting > 0 && <p class="message">{waiting} of them wait for an approval.</p>}
      {!isWhole && <Continue visit={visit} batch={batch} />}
    </Card>
  );
};

const Failed = ({ count }: { count: number }) => (
  <p class="message fault">
    {count === 1 ? "One was not paid. " : `${count} were not paid. `}
    The money is back in the balance. To pay again, put these lines into a new batch.
  </p>
);

const Continue = ({ visit, batch }: { visit: Visit; batch: PayoutBatchRow }) => {
  // Set when the time ran out before all lines were tried.
  const isGoingOn = visit.query.get("going") === "on";
  return (
    <>
      <Form visit={visit} action={sendPath(batch)} isInline>
        <span hidden data-go-on={isGoingOn ? "yes" : undefined}></span>
        <Submit>Continue with the others</Submit>
      </Form>
      <p class="quiet">Continue at any time: no line is paid twice, whatever interrupts it.</p>
    </>
  );
};

const sendAct = act({
  path: `${PATH}/send`,
  ability: "pay",
  isUrgent: true,
  on: batchPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, actor } = visit;
    const batch = await ownBatch(visit);
    const left = await sendBatch(deps, { batch, actor, wordsOf: refusalOfLine });
    return { to: `/batches/${batch.id}${left > 0 ? "?going=on" : ""}` };
  },
});

export const BATCH_ROUTES = [batchPage, sendAct];

const Result = ({ line: { withdrawal, refusal } }: { line: LineState }) => {
  if (withdrawal) {
    const { id, status } = withdrawal;
    return (
      <>
        <a href={`${BASE}/withdrawals/${id}`}>{id}</a> <Status value={status} />
      </>
    );
  }
  return refusal === undefined ? <span class="quiet">not sent</span> : (
    <>
      <Status value="not sent" /> <span class="small">{refusal}</span>
    </>
  );
};
