import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { filterGenuine } from "../../books/tampered.ts";
import { formOf } from "../../dashboard/asking.ts";
import { AccountChoice, accountOf, withAccount } from "../../dashboard/parts/account.tsx";
import {
  Card,
  CopyButton,
  EmptyState,
  Long,
  Money,
  Status,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, PagedTable } from "../../dashboard/parts/table.tsx";
import { done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { moneyText } from "../../domain/money/written.ts";
import { PAYMENT_LINKS } from "../lists/payment_links.ts";
import { DEACTIVATE_PAYMENT_LINK } from "../operations/payment_link.ts";
import { buttonHtml, paymentLinkUrl } from "../payment_link_shape.ts";
import { deactivatePaymentLink } from "../payment_links.ts";
import { type PaymentLinkRow, PaymentLinks } from "../tables/payment_links.ts";
import { rowsOf } from "../../operations/lists/list.ts";

const ROWS = 20;

const linksPage = page({
  path: "/payment-links",
  ability: "see",
  nav: { label: "Payment links", group: "Payments" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="Payment links" actions={<NewLink visit={visit} />}>
        <AccountChoice visit={visit} account={account} />
        {account && <Links visit={visit} account={account} />}
      </Page>
    );
  },
});

const NewLink = ({ visit }: { visit: Visit }) =>
  visit.may("GET", "/payment-links/new") && (
    <a class="button" href={BASE + withAccount(visit, "/payment-links/new")}>New link</a>
  );

const Links = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { deps, paging } = visit;
  const asked = { accountId: account.id, values: {}, ...paging, limit: ROWS };
  const { rows, next } = await rowsOf(deps, PAYMENT_LINKS, asked);
  return (
    <Card>
      <PagedTable
        visit={visit}
        caption="Payment links"
        found={{ rows: await filterGenuine(deps, PaymentLinks, rows), next }}
        columns={columnsFor(visit)}
        empty={
          <EmptyState title="No payment links yet">
            {visit.may("GET", "/payment-links/new") && "Create one with the button above. "}
            Whoever opens one starts an invoice and pays it: a button on your site, or a code on the
            counter.
          </EmptyState>
        }
      />
    </Card>
  );
};

function columnsFor(visit: Visit): Column<PaymentLinkRow>[] {
  const { publicUrl } = visit.deps;
  return [
    { title: "Id", isNumber: true, cell: ({ id }) => id },
    { title: "For", at: "title", cell: ({ title }) => <Long text={title} /> },
    { title: "Amount", isNumber: true, cell: (row) => <Asked row={row} /> },
    {
      title: "Link",
      cell: (row) => row.deactivatedAtMs === null && <Ways row={row} publicUrl={publicUrl} />,
    },
    {
      ...{ title: "Created", isOrder: true, isMinor: true },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    { title: "Status", cell: (row) => <Deactivate visit={visit} row={row} /> },
  ];
}

/** Of a deactivated one they would lead nowhere. */
const Ways = ({ row, publicUrl }: { row: PaymentLinkRow; publicUrl: string }) => {
  const url = paymentLinkUrl(row, publicUrl);
  return (
    <>
      <a href={url}>Open</a> · <a href={`${url}/print`}>Print</a>{" "}
      <CopyButton text={url} label="Copy link" />{" "}
      <CopyButton text={buttonHtml(row, publicUrl)} label="Copy button" />
    </>
  );
};

const Asked = ({ row: { amount, min, max, currency } }: { row: PaymentLinkRow }) => {
  if (amount !== null) return <Money amount={amount} quote={currency} isWhole />;
  if (min === null && max === null) return <>{`any, in ${currency}`}</>;
  const said = (text: string) => moneyText(text, { currency, rounding: "exact" });
  const bounds = [
    min === null ? "" : ` from ${said(min)}`,
    max === null ? "" : ` up to ${said(max)}`,
  ];
  return <>{`any${bounds.join("")}`}</>;
};

const Deactivate = ({ visit, row }: { visit: Visit; row: PaymentLinkRow }) => {
  const { id, deactivatedAtMs } = row;
  if (deactivatedAtMs !== null) return <Status value="deactivated" />;
  const action = `/payment-links/${id}/deactivate`;
  return visit.may("POST", action)
    ? (
      <Form visit={visit} action={action} isInline>
        <Submit tone="danger" confirm="Nobody can start an invoice with it any more.">
          Deactivate
        </Submit>
      </Form>
    )
    : <Status value="active" />;
};

const deactivateAct = formOf(DEACTIVATE_PAYMENT_LINK, {
  path: "/payment-links/:id{[0-9]+}/deactivate",
  on: linksPage,
  run: async (visit) => {
    const { id, accountId } = visit.own(await visit.deps.db.find(PaymentLinks, [visit.id()]));
    await deactivatePaymentLink(visit.deps, { id, accountId, actor: visit.actor });
    return done(`/payment-links?account=${accountId}`, "The link starts no invoice any more");
  },
});

export const PAYMENT_LINK_ROUTES = [linksPage, deactivateAct];
