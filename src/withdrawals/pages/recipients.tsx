import { Accounts } from "../../accounts/tables/accounts.ts";
import { formOf } from "../../dashboard/asking.ts";
import { networkColumn } from "../../dashboard/parts/columns.tsx";
import { Card, NamedAccount, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { type FailingRecipient, failingRecipients } from "../manage_recipients.ts";
import { ALLOW_RECIPIENT } from "../operations/recipient.ts";

const recipientsPage = page({
  path: "/recipients",
  ability: "see_gateway",
  nav: { label: "Blocked recipients", group: "Payouts" },
  show: async (visit) => (
    <Page visit={visit} title="Blocked recipients">
      <Card>
        <p class="quiet">
          Two payments to these addresses failed on the chain within 24 hours. A failed payment
          costs gas and the account pays no fee for it, so that account's further payments to the
          address are refused until you allow them.
        </p>
        <Table
          caption="Blocked recipients"
          rows={await failingRecipients(visit.deps)}
          empty="No recipient is blocked"
          columns={columnsFor(visit)}
        />
      </Card>
    </Page>
  ),
});

function columnsFor(visit: Visit): Column<FailingRecipient>[] {
  return [
    { title: "Account", cell: ({ accountId }) => <NamedAccount visit={visit} id={accountId} /> },
    networkColumn(visit),
    { title: "Currency", cell: ({ currency }) => currency },
    { title: "Recipient", cell: ({ address }) => <code class="whole">{address}</code> },
    { title: "Failed", isNumber: true, cell: ({ signedAtMs }) => signedAtMs.length },
    { title: "Last", cell: ({ signedAtMs }) => <Time atMs={Math.max(...signedAtMs)} /> },
    { title: "Actions", isTitleHidden: true, cell: (row) => <Allow visit={visit} row={row} /> },
  ];
}

const Allow = (
  { visit, row: { accountId, network, address } }: { visit: Visit; row: FailingRecipient },
) => (
  <Form visit={visit} action="/recipients/allow" isInline>
    <input type="hidden" name="account" value={String(accountId)} />
    <input type="hidden" name="network" value={network} />
    <input type="hidden" name="address" value={address} />
    <Submit tone="plain">Allow</Submit>
  </Form>
);

const allowAct = formOf(ALLOW_RECIPIENT, {
  path: "/recipients/allow",
  on: recipientsPage,
  isSensitive: true,
  fields: { names: ["network", "address"] },
  to: "/recipients",
  said: async (_, { flags: { account, address } }, { deps }) => {
    const named = account === undefined ? undefined : await deps.db.find(Accounts, [account]);
    return `${named?.name} can pay ${address} again`;
  },
});

export const RECIPIENT_ROUTES = [recipientsPage, allowAct];
