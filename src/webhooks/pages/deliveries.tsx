import { redeliverBetween, redeliverDead } from "../redeliver.ts";
import * as kind from "../../domain/kinds.ts";
import { DELIVERY_STATES } from "../rules/webhook_schedule.ts";
import { type DeliveryCursor, deliveryPage } from "../reads/deliveries.ts";
import { webhookEndpoints } from "../reads/due.ts";
import { WebhookEndpoints } from "../tables/webhooks.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { RowsForm } from "../../dashboard/parts/form.tsx";
import { AccountFilter, ChoiceFilter, NumberFilter } from "../../dashboard/parts/filters.tsx";
import { utcMoment } from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Filter, PagedTable } from "../../dashboard/parts/table.tsx";
import { deliveryColumns } from "./_delivery_columns.tsx";
import { WEBHOOKS_UP } from "./_parts.tsx";
import { act, type Done, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { SendAgain } from "./_send_again.tsx";

const ROWS = 20;
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
