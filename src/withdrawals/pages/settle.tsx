import { SETTLE_WITHDRAWAL } from "../operations/withdrawal.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";

const VERDICTS = [
  { value: "unpaid", label: "It was not paid: the money goes back to the account" },
  { value: "paid", label: "It was paid: the account is debited" },
];

const theWithdrawal = async (visit: Visit): Promise<WithdrawalRow> =>
  visit.own(await visit.deps.db.find(Withdrawals, [visit.id()]));

const settlePage = page({
  path: "/withdrawals/:id{[0-9]+}/settle",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const { id, amount, currency, network, toAddress } = await theWithdrawal(visit);
    const up = { path: `/withdrawals/${id}`, label: `Payout ${id}` };
    return (
      <Page visit={visit} title="Settle a payout manually" up={up}>
        <Card>
          <p>
            For a payout that was mined without a payment log from its token. First check whether
            {" "}
            <code class="whole">{toAddress}</code> received {amount} {currency} on {network}.
          </p>
          <Form visit={visit} action={`/withdrawals/${id}/settle`}>
            <Select visit={visit} name="as" label="Your finding" options={VERDICTS} />
            <Submit tone="danger" confirm="This cannot be undone.">Settle</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const settleAct = formOf(SETTLE_WITHDRAWAL, {
  path: "/withdrawals/:id{[0-9]+}/settle",
  on: settlePage,
  fields: { names: ["as"] },
  to: "/withdrawals/:id",
  said: ({ status }) => status === "failed" ? "The payout has failed" : `The payout is ${status}`,
});

export const SETTLE_ROUTES = [settlePage, settleAct];
