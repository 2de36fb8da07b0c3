import { Accounts } from "../../accounts/tables/accounts.ts";
import type { Child } from "../../base/html.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { askedName } from "../../dashboard/parts/account.tsx";
import { accountColumn } from "../../dashboard/parts/columns.tsx";
import { Card, Time } from "../../dashboard/parts/facts.tsx";
import { AccountFilter, ChoiceFilter, NumberFilter } from "../../dashboard/parts/filters.tsx";
import { Form, RowsForm, Submit } from "../../dashboard/parts/form.tsx";
import { MomentField, utcMoment } from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { DeliveryStatus } from "../../dashboard/parts/payment/delivery_status.tsx";
import { type Column, Filter, PagedTable } from "../../dashboard/parts/table.tsx";
import { againPath } from "../../dashboard/paths.ts";
import { act, type Done, done, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { EndpointLink, WEBHOOKS_UP } from "./_parts.tsx";
import { type DeliveryCursor, type DeliveryListed, deliveryPage } from "../reads/deliveries.ts";
import { webhookEndpoints } from "../reads/due.ts";
import { redeliverBetween, redeliverDead } from "../redeliver.ts";
import { DELIVERY_STATES } from "../rules/webhook_schedule.ts";
import { WebhookEndpoints } from "../tables/webhooks.ts";

const AGAIN: Column<DeliveryListed> = {
  title: "Send again",
  isTitleHidden: true,
  cell: (row) => <Submit tone="link" action={againPath(row)}>Send again</Submit>,
};

const ROWS = 18;
const NONE = "Each event appears here once for every webhook that receives it";

const deliveriesPage = page({
  path: "/webhooks/deliveries",
  ability: "see",
  show: async (visit) => {
    const accountId = visit.accountWanted();
    const found = await deliveryPage(visit.deps.db, {
      accountId,
      endpointId: await endpointWanted(visit, accountId),
      state: visit.wanted("state", DELIVERY_STATES),
      ...{ ...visit.paging, cursor: cursorOf(visit) },
      limit: ROWS,
    });
    return (
      <Page visit={visit} title="Deliveries" up={WEBHOOKS_UP}>
        <Card>
          <DeliveryFilters visit={visit} />
          <RowsForm visit={visit}>
            <PagedTable
              visit={visit}
              caption="Deliveries"
              found={{ ...found, next: found.next && cursorText(found.next) }}
              columns={deliveryColumns(visit)}
              empty={NONE}
            />
          </RowsForm>
        </Card>
        {visit.isAble("manage_webhooks") && <SendAgain visit={visit} />}
      </Page>
    );
  },
});

const DeliveryFilters = ({ visit }: { visit: Visit }) => (
  <Filter visit={visit}>
    <ChoiceFilter visit={visit} name="state" label="State" choices={DELIVERY_STATES} />
    <NumberFilter visit={visit} name="webhook" label="Webhook" />
    <AccountFilter visit={visit} />
  </Filter>
);

/** Only of the selected account: another account's webhook gets the same answer as a missing one. */
async function endpointWanted(visit: Visit, accountId: number | null): Promise<number | null> {
  const text = visit.query.get("webhook")?.trim() ?? "";
  if (text === "") return null;
  const id = kind.recordId.read(text);
  const row = id === undefined ? undefined : await visit.deps.db.find(WebhookEndpoints, [id]);
  if (!row || (accountId !== null && row.accountId !== accountId)) throw new NotFound();
  return row.id;
}

function cursorOf({ query }: Visit): DeliveryCursor | null {
  const [, eventId, endpointId] = /^(\d{1,15})-(\d{1,15})$/.exec(query.get("cursor") ?? "") ?? [];
  return eventId === undefined
    ? null
    : { eventId: Number(eventId), endpointId: Number(endpointId) };
}

function cursorText({ eventId, endpointId }: DeliveryCursor): string {
  return `${eventId}-${endpointId}`;
}

const deadAct = act({
  path: "/webhooks/deliveries/dead",
  ability: "manage_webhooks",
  on: deliveriesPage,
  run: async (visit) => sentAgain(visit, await redeliverDead(visit.deps, orderOf(visit))),
});

const betweenAct = act({
  path: "/webhooks/deliveries/between",
  ability: "manage_webhooks",
  on: deliveriesPage,
  run: async (visit) => {
    const { fromMs, toMs } = visit.form.read((it) => ({
      fromMs: it.required("from", utcMoment),
      toMs: it.required("to", utcMoment),
    }));
    if (toMs < fromMs) throw fieldFault("to", "Must not be before the start");
    const order = { ...orderOf(visit), fromMs, toMs };
    return sentAgain(visit, await redeliverBetween(visit.deps, order));
  },
});

/** A merchant's own account, whatever was sent; an operator may mean all. */
function orderOf(visit: Visit) {
  const asked = visit.form.read((it) => it.optional("account", kind.recordId));
  return { accountId: visit.accountId ?? asked, actor: visit.actor };
}

async function sentAgain(visit: Visit, count: number): Promise<Done> {
  const { accountId } = orderOf(visit);
  const asked = visit.seesAll ? accountId : undefined;
  const path = `/webhooks/deliveries${asked === undefined ? "" : `?account=${asked}`}`;
  const endpoints = await webhookEndpoints(visit.deps.db, accountId);
  const isSomeOff = endpoints.some(({ disabledAtMs }) => disabledAtMs !== null);
  const off = isSomeOff ? ". Disabled webhooks get theirs when you resume sending" : "";
  const what = count === 1 ? "1 delivery" : `${count} deliveries`;
  return done(path, `Resending ${what}${off}`);
}

export const DELIVERY_LIST_ROUTES = [deliveriesPage, deadAct, betweenAct];

function deliveryColumns(visit: Visit): Column<DeliveryListed>[] {
  return [
    {
      ...{ title: "Event time", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    {
      title: "Event",
      at: "title",
      cell: ({ type, endpointId, eventId }) => (
        <a class="row-link" href={`${BASE}/webhooks/${endpointId}/deliveries/${eventId}`}>{type}</a>
      ),
    },
    {
      title: "State",
      at: "state",
      cell: ({ state, last }) => <DeliveryStatus state={state} error={last?.error} />,
    },
    ...accountColumn<DeliveryListed>(visit),
    { title: "Webhook", isMinor: true, cell: ({ endpointId }) => <EndpointLink id={endpointId} /> },
    { title: "Last answer", cell: ({ last }) => <LastAnswer last={last} /> },
    { title: "Attempts", isNumber: true, isMinor: true, cell: ({ attempts }) => attempts },
    {
      title: "Next attempt",
      isMinor: true,
      cell: ({ state, nextTryAtMs }) => <Time atMs={state === "pending" ? nextTryAtMs : null} />,
    },
    ...visit.isAble("manage_webhooks") ? [AGAIN] : [],
  ];
}

const LastAnswer = ({ last }: { last: DeliveryListed["last"] }) =>
  last === null
    ? <span class="quiet">none yet</span>
    : <span class="whole">{last.error ?? `HTTP ${last.status}`}</span>;

interface AgainProps {
  readonly visit: Visit;
  readonly whose: string;
  readonly account: Child;
}

const SendAgain = async ({ visit }: { visit: Visit }) => {
  // A form shown again after an error keeps its account.
  const asked = visit.form.text("account") || visit.query.get("account");
  const accountId = visit.seesAll ? visit.accountWanted(asked) : null;
  const known = accountId === null ? undefined : await visit.deps.db.find(Accounts, [accountId]);
  const ofAccount = accountId === null ? " of all accounts" : ` of ${askedName(known)}`;
  const whose = visit.seesAll ? ofAccount : "";
  const account = accountId !== null && (
    <input type="hidden" name="account" value={String(accountId)} />
  );
  return (
    <div class="grid">
      <DeadAgain visit={visit} whose={whose} account={account} />
      <PeriodAgain visit={visit} whose={whose} account={account} />
    </div>
  );
};

const DeadAgain = ({ visit, whose, account }: AgainProps) => (
  <Card title="Resend dead deliveries">
    <p>{`Every dead delivery${whose} starts over with its first attempt.`}</p>
    <Form visit={visit} action="/webhooks/deliveries/dead">
      {account}
      <Submit tone="plain" confirm={`This resends every dead delivery${whose}.`}>
        Resend all dead deliveries
      </Submit>
    </Form>
  </Card>
);

const PeriodAgain = ({ visit, whose, account }: AgainProps) => (
  <Card title="Resend a period">
    <p>
      {`Every event${whose} in this period goes to the webhooks that currently receive its type.`}
    </p>
    <Form visit={visit} action="/webhooks/deliveries/between">
      {account}
      <div class="pair">
        <MomentField visit={visit} name="from" label="From (UTC)" isRequired />
        <MomentField visit={visit} name="to" label="Until (UTC)" isRequired />
      </div>
      <Submit tone="plain" confirm={`This resends every event${whose} in this period.`}>
        Resend events
      </Submit>
    </Form>
  </Card>
);
