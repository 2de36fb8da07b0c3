import { REVERSE_DEPOSIT } from "../../reconcile/operations.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import { ownDeposit } from "./deposit.tsx";

const reversePage = page({
  path: "/deposits/:id{[0-9]+}/reverse",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const row = await ownDeposit(visit);
    const { id, amount, toAddress } = row;
    const up = { path: `/deposits/${id}`, label: `Deposit ${id}` };
    return (
      <Page visit={visit} title="Reverse a deposit" up={up}>
        <Card>
          <p>
            Use this if the {amount} {visit.coin(row)} are permanently gone from{" "}
            <code class="whole">{toAddress}</code>. The credit is reversed, and the account's
            balance may become negative. No coins are moved.
          </p>
          <Form visit={visit} action={`/deposits/${id}/reverse`}>
            <FlagFields visit={visit} operation={REVERSE_DEPOSIT} names={["note"]} />
            <Submit tone="danger" confirm="This cannot be undone.">Reverse</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const reverseAct = formOf(REVERSE_DEPOSIT, {
  path: "/deposits/:id{[0-9]+}/reverse",
  on: reversePage,
  fields: { names: ["note"] },
  to: "/deposits/:id",
  said: ({ amount, currency }) => `Reversed ${amount} ${currency}`,
});

export const REVERSE_ROUTES = [reversePage, reverseAct];
