import { type AddressLook, lookAtAddress, TOO_MANY } from "../../deposits/look_at_address.ts";
import type { Component } from "../../base/html.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { receivedAt, requestsOfAddress } from "../reads.ts";
import { Addresses, type AddressRow } from "../../wallets/tables/addresses.ts";
import type { DepositRequestRow } from "../../wallets/tables/addresses.ts";
import { NetworkCursors } from "../../following/table.ts";
import { addressUrl } from "../../dashboard/explorers.ts";
import { accountFact, Address, Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Reading } from "./reading.tsx";
import { Received } from "./_received.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { PaymentsTo } from "./_payments_to.tsx";
import { CustomerLink } from "./customer_link.tsx";

const REQUESTS_SHOWN = 10;
/** A node that hangs must not delay the answer. */
const NODE_MS = 3_000;

async function ownAddress(visit: Visit): Promise<AddressRow> {
  const row = visit.own(await visit.deps.db.find(Addresses, [visit.id()]));
  if (row.purpose !== "deposit") throw new NotFound();
  return row;
}

const addressPage = page({
  path: "/addresses/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownAddress(visit);
    const { db } = visit.deps;
    const [catalog, received, requests, cursor] = await Promise.all([
      visit.deps.catalog.current(),
      receivedAt(db, [row.id]),
      requestsOfAddress(db, { addressId: row.id, limit: REQUESTS_SHOWN }),
      db.find(NetworkCursors, [row.network]),
    ]);
    const network = catalog.network(row.network);
    const explorer = addressUrl(network, row.address);
    const isUnpaid = received.sums.length === 0;
    return (
      <Page visit={visit} title="Deposit address" up={{ path: "/customers", label: "Customers" }}>
        <Card>
          <p>
            <Address text={row.address} /> {explorer && <a href={explorer}>Explorer</a>}
          </p>
          <Owner visit={visit} row={row} request={requests[0]} />
          {isUnpaid && <p>Nothing received.</p>}
          {network && <Reading visit={visit} network={network} cursor={cursor} />}
          <CheckAgain visit={visit} row={row} isUnpaid={isUnpaid} />
        </Card>
        {!isUnpaid && (
          <Card title="Received">
            <Received visit={visit} {...received} />
            <PaymentsTo visit={visit} addresses={[row]} empty="" />
          </Card>
        )}
        <Card title="Deposit requests">
          <Requests rows={requests} />
        </Card>
      </Page>
    );
  },
});

interface OwnerProps {
  readonly visit: Visit;
  readonly row: AddressRow;
  /** The newest. */
  readonly request: DepositRequestRow | undefined;
}

const Owner: Component<OwnerProps> = ({ visit, row, request }) => (
  <Facts
    rows={[
      ...accountFact(visit, row),
      ["Whose", <IssuedTo visit={visit} row={row} request={request} />],
      ["Network", row.network],
    ]}
  />
);

const IssuedTo: Component<OwnerProps> = ({ visit, row, request }) => {
  const whose = visit.seesAll ? "The account's" : "Yours";
  if (row.userIdentifier !== null) {
    return (
      <>
        {whose}, issued to <CustomerLink row={row} /> <Time atMs={row.createdAtMs} />
      </>
    );
  }
  return (
    <>
      {whose}, from the pool
      {request && (
        <>
          , last issued for request {request.id} <Time atMs={request.createdAtMs} />
        </>
      )}
    </>
  );
};

const CheckAgain: Component<{ visit: Visit; row: AddressRow; isUnpaid: boolean }> = (
  { visit, row, isUnpaid },
) => (
  <>
    {isUnpaid && (
      <p class="quiet">
        A payment shows up once its block is read. If one was sent, compare this address and its
        network with those in the payer's wallet.
      </p>
    )}
    <Form visit={visit} action={`/addresses/${row.id}/look`} isInline>
      <Submit tone="plain">{isUnpaid ? "Check again" : "Check the chain"}</Submit>
    </Form>
  </>
);

const REQUEST_COLUMNS: readonly Column<DepositRequestRow>[] = [
  { title: "Id", isNumber: true, cell: ({ id }) => id },
  { title: "Requested", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Currency", cell: ({ currency }) => currency },
  {
    title: "Shown until",
    isMinor: true,
    cell: ({ displayExpiresAtMs }) => <Time atMs={displayExpiresAtMs} />,
  },
  {
    title: "Idempotency key",
    isMinor: true,
    cell: ({ idempotencyKey }) => idempotencyKey ?? <span class="quiet">–</span>,
  },
];

const Requests = ({ rows }: { rows: readonly DepositRequestRow[] }) => (
  <Table caption="Deposit requests" rows={rows} columns={REQUEST_COLUMNS} empty="None yet" />
);

/** Only reads. */
const lookAct = act({
  path: "/addresses/:id{[0-9]+}/look",
  ability: "see",
  isUrgent: true,
  on: addressPage,
  run: async (visit) => {
    const row = await ownAddress(visit);
    const look = await lookAtAddress(visit.deps, { row, waitMs: NODE_MS });
    if (look === TOO_MANY) {
      throw new OperatorError("Too many addresses were checked. Try again in a minute");
    }
    if (!look) throw new OperatorError("No node answered. Try again in a moment");
    const cursor = await visit.deps.db.find(NetworkCursors, [row.network]);
    const isPaid = (await receivedAt(visit.deps.db, [row.id])).sums.length > 0;
    return done(`/addresses/${row.id}`, lookText(look, { readTo: cursor?.scanHeight, isPaid }));
  },
});

/** What the node says, and what follows from it. */
function lookText(
  { height, held }: AddressLook,
  { readTo = -1, isPaid }: { readTo: number | undefined; isPaid: boolean },
): string {
  const there = held.filter(({ amount }) => !amount.isZero())
    .map(({ amount, symbol }) => `${amount} ${symbol}`);
  const now = `At block ${height} the node says the address holds ${
    there.length === 0 ? "nothing" : there.join(" and ")
  }.`;
  if (there.length === 0 || isPaid) return now;
  const unread = height - readTo;
  return unread > 0
    ? `${now} Blocks are read up to ${readTo}; it shows up here when the rest is read.`
    : `${now} All blocks are read, but no payment explains it: it came through a contract that the ` +
      "node doesn't report. An operator can credit it.";
}

export const ADDRESS_ROUTES = [addressPage, lookAct];
