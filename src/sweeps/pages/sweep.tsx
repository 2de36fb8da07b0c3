import { ReceivingWallets } from "../../accounts/tables/accounts.ts";
import { present } from "../../base/assert.ts";
import { formOf } from "../../dashboard/asking.ts";
import { addressUrl } from "../../dashboard/explorers.ts";
import {
  accountFact,
  Card,
  Empty,
  Facts,
  Hash,
  Money,
  Status,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { movementColumns } from "../../dashboard/parts/movements.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { SignedLine } from "../../dashboard/parts/signed.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { topHeights } from "../../deposits/reads/transactions.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { RETRY_SWEEP } from "../operations.ts";
import { amountText, moneyIn } from "../money.ts";
import { moneyOf, type SweepMoney, transactionsOfSweep } from "../reads/page.ts";
import { type SweepRow, Sweeps } from "../table.ts";
import { signedForSweep } from "../../transfers/reads/transfers.ts";
import type { Paying, SignedPaymentRow } from "../../transfers/table.ts";

const UP = { path: "/sweeps", label: "Sweeps" };
const ROWS = 200;

const ownSweep = async (visit: Visit): Promise<SweepRow> =>
  visit.own(await visit.deps.db.find(Sweeps, [visit.id()]));

const sweepPage = page({
  path: "/sweeps/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownSweep(visit);
    const { db } = visit.deps;
    const [catalog, money, signed, transactions, heights] = await Promise.all([
      visit.deps.catalog.current(),
      moneyOf(db, [row]),
      signedForSweep(db, row.id),
      transactionsOfSweep(db, { sweepId: row.id, limit: ROWS }),
      topHeights(db),
    ]);
    const network = present(catalog.network(row.network), "Networks stay");
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page
        visit={visit}
        title={`Sweep ${row.id}`}
        up={UP}
        reload={reloadOf(row, signed)}
        isLive
      >
        <Card title="Sweep" actions={<Status value={row.state} />}>
          <SweepFacts visit={visit} row={row} network={network} money={moneyIn(money, row)} />
          <Retry visit={visit} row={row} />
        </Card>
        <Card title="Signed transactions">
          <SignedList signed={signed} network={network} top={heights.get(row.network) ?? 0} />
        </Card>
        <Card title="Transactions">
          <Table
            caption="Transactions"
            rows={transactions}
            columns={movementColumns(seen)}
            empty="No transactions"
          />
          {transactions.length === ROWS && <p class="quiet">Only the newest {ROWS} are shown.</p>}
        </Card>
      </Page>
    );
  },
  live: async (visit) => {
    const row = await ownSweep(visit);
    return { reload: reloadOf(row, await signedForSweep(visit.deps.db, row.id)) };
  },
});

function reloadOf({ state, reason }: SweepRow, signed: readonly Paying[]): string {
  const answers = signed.map(({ tx }) => `${tx.state} ${tx.blockHash}`);
  return [state, reason, ...answers].join(" ");
}

interface FactsProps {
  readonly visit: Visit;
  readonly row: SweepRow;
  readonly network: NetworkRow;
  readonly money: SweepMoney;
}

const SweepFacts = async ({ visit, row, network, money }: FactsProps) => {
  const wallet = await visit.deps.db.find(ReceivingWallets, [row.accountId, row.network]);
  const amount = amountText(row, money);
  const next = ["Next attempt", <Time atMs={row.nextTryAtMs} />] as const;
  return (
    <Facts
      rows={[
        ...accountFact(visit, row),
        [
          "Amount",
          <Money amount={amount} currency={visit.coin(row)} isWhole />,
        ],
        ["From", <Hash text={money.address} href={addressUrl(network, money.address)} isWhole />],
        ["Receiving wallet", <Target network={network} address={wallet?.address} />],
        ["Created", <Time atMs={row.createdAtMs} />],
        ["Waiting for", row.reason ?? <span class="quiet">nothing</span>],
        ["Failed attempts", row.failures],
        ...row.state === "waiting" ? [next] : [],
      ]}
    />
  );
};

const Target = ({ network, address }: { network: NetworkRow; address: string | undefined }) =>
  address === undefined
    ? <span class="quiet">none</span>
    : <Hash text={address} href={addressUrl(network, address)} isWhole />;

const Retry = ({ visit, row: { id, state } }: { visit: Visit; row: SweepRow }) => {
  if (!visit.isOperator || (state !== "parked" && state !== "waiting")) return null;
  return (
    <Form visit={visit} action={`/sweeps/${id}/retry`} isInline>
      <Submit tone="plain">{state === "parked" ? "Retry" : "Retry now"}</Submit>
    </Form>
  );
};

const WORDS: Partial<Record<SignedPaymentRow["purpose"], string>> = {
  sweep: "Sweep signed",
  gas_topup: "Gas top-up signed",
  void: "Empty transaction signed",
};

const SignedList = (
  { signed, network, top }: {
    signed: readonly Paying[];
    network: NetworkRow;
    top: number;
  },
) => {
  if (signed.length === 0) return <Empty>None yet</Empty>;
  return (
    <ol class="timeline">
      {signed.map(({ tx, payment: { purpose } }) => (
        <SignedLine what={WORDS[purpose] ?? purpose} tx={tx} network={network} top={top} />
      ))}
    </ol>
  );
};

const retryAct = formOf(RETRY_SWEEP, {
  path: "/sweeps/:id{[0-9]+}/retry",
  on: sweepPage,
  to: "/sweeps/:id",
  said: () => "The sweep will be retried",
});

export const SWEEP_ROUTES = [sweepPage, retryAct];
