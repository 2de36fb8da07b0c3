import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { fieldFault } from "../../dashboard/form.ts";
import {
  AccountChoice,
  accountChosen,
  accountOf,
  withAccount,
} from "../../dashboard/parts/account.tsx";
import { accountColumn } from "../../dashboard/parts/columns.tsx";
import { Card, EmptyState, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { AccountFilter } from "../../dashboard/parts/filters.tsx";
import { Checks, Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Filter, PagedTable, pageFrom } from "../../dashboard/parts/table.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { type AddedWebhook, addWebhook } from "../add.ts";
import { EndpointLink, Health, Secret, WEBHOOKS_UP } from "./_parts.tsx";
import { endpointPage } from "../reads/endpoints.ts";
import { EVENT_TYPES } from "../rules/events.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";

const ROWS = 20;
const URL_LENGTH_MAX = 2_000;
const TYPES = EVENT_TYPES.map((value) => ({ value, label: value }));
const target: kind.Kind<string> = {
  ...kind.webUrl,
  read: (text) => text.length <= URL_LENGTH_MAX ? kind.webUrl.read(text) : undefined,
};

const webhooksPage = page({
  path: "/webhooks",
  ability: "see",
  nav: { label: "Webhooks", group: "Developers" },
  show: async (visit) => {
    const asked = { accountId: visit.accountWanted(), ...visit.paging, limit: ROWS + 1 };
    const found = pageFrom(await endpointPage(visit.deps.db, asked), ROWS);
    return (
      <Page
        visit={visit}
        title="Webhooks"
        actions={<Links visit={visit} />}
      >
        <Card>
          {visit.seesAll && (
            <Filter visit={visit}>
              <AccountFilter visit={visit} />
            </Filter>
          )}
          <PagedTable
            visit={visit}
            caption="Webhooks"
            found={found}
            columns={columnsFor(visit)}
            empty={
              <EmptyState title="No webhooks yet">
                A webhook is a URL of your server that is told about each payment and payout.{" "}
                {visit.isAble("manage_webhooks") && "Add one with the button above."}
              </EmptyState>
            }
          />
        </Card>
      </Page>
    );
  },
});

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <a class="button plain" href={`${BASE}/webhooks/deliveries`}>Deliveries</a>
    {visit.isAble("manage_webhooks") && <a class="button" href={newUrl(visit)}>New webhook</a>}
  </>
);

function newUrl(visit: Visit): string {
  const accountId = visit.seesAll ? visit.accountWanted() : null;
  return `${BASE}/webhooks/new${accountId === null ? "" : `?account=${accountId}`}`;
}

function columnsFor(visit: Visit): Column<WebhookEndpointRow>[] {
  return [
    { title: "Id", cell: ({ id }) => <EndpointLink id={id} /> },
    ...accountColumn<WebhookEndpointRow>(visit),
    { title: "URL", cell: ({ url }) => <span class="whole">{url}</span> },
    { title: "Events", isMinor: true, cell: ({ eventTypes }) => eventTypes?.join(", ") ?? "all" },
    { title: "State", cell: (row) => <Health row={row} /> },
    {
      ...{ title: "Added", isOrder: true, isMinor: true },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
  ];
}

const newWebhookPage = page({
  path: "/webhooks/new",
  ability: "manage_webhooks",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="New webhook" up={upTo(visit)}>
        <AccountChoice visit={visit} account={account} />
        {account && <NewWebhook visit={visit} account={account} />}
      </Page>
    );
  },
});

function upTo(visit: Visit, accountId?: number) {
  return { ...WEBHOOKS_UP, path: withAccount(visit, WEBHOOKS_UP.path, accountId) };
}

const NewWebhook = ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card>
    <Form visit={visit} action="/webhooks/new">
      <input type="hidden" name="account" value={String(account.id)} />
      <Field
        visit={visit}
        name="url"
        label="URL"
        type="url"
        isRequired
        hint="An https URL of your server. It must answer with a 2xx status within ten seconds."
        maxlength={URL_LENGTH_MAX}
      />
      <Checks visit={visit} name="events" legend="Events" options={TYPES} values={EVENT_TYPES} />
      <Submit>Add webhook</Submit>
    </Form>
  </Card>
);

const newWebhookAct = act({
  path: "/webhooks/new",
  ability: "manage_webhooks",
  on: newWebhookPage,
  isSensitive: true,
  run: async (visit) => {
    const account = await accountChosen(visit);
    const { url, chosen } = visit.form.read((it) => ({
      url: it.required("url", target),
      chosen: it.chosen("events", kind.choice(EVENT_TYPES)),
    }));
    if (chosen.length === 0) throw fieldFault("events", "Choose at least one");
    // All existing types also means all future ones.
    const eventTypes = EVENT_TYPES.every((type) => chosen.includes(type)) ? null : chosen;
    const order = { accountId: account.id, url, eventTypes, actor: visit.actor };
    return <Added visit={visit} added={await addWebhook(visit.deps, order)} />;
  },
});

const Added = ({ visit, added }: { visit: Visit; added: AddedWebhook }) => (
  <Page visit={visit} title="Webhook added" up={upTo(visit, added.row.accountId)}>
    <Card>
      {added.blockedBy !== undefined && (
        <p class="message fault">
          Nothing will be sent there ({added.blockedBy}), unless the server runs with
          CPG_WEBHOOK_ALLOW_PRIVATE=true
        </p>
      )}
      {added.twins.map(({ id }) => (
        <p class="message fault">
          Webhook {id} sends there too: shared events will be delivered twice, until you remove one
        </p>
      ))}
      <Secret secret={added.secret} />
      <Facts
        rows={[
          ["URL", added.row.url],
          ["Events", added.row.eventTypes?.join(", ") ?? "all"],
        ]}
      />
      <p class="quiet">
        Every request is signed with this secret as Standard Webhooks specifies. Verify the
        signature before you trust the content.
      </p>
      <p>
        <a class="button" href={`${BASE}/webhooks/${added.row.id}`}>I have saved it</a>
      </p>
    </Card>
  </Page>
);

export const WEBHOOK_LIST_ROUTES = [webhooksPage, newWebhookPage, newWebhookAct];
