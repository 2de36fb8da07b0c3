import type { Visit } from "../../dashboard/visit.ts";
import { vouchForDeposits } from "../vouch.ts";
import { first } from "../../base/lists.ts";
import * as kind from "../../domain/kinds.ts";
import { Card, Hash } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { cannot } from "../../dashboard/words/refusals.ts";
import type { TransactionRow } from "../tables/transactions.ts";
import { ownDeposit } from "./deposit.tsx";

const VERDICTS = [
  { value: "uncredited", label: "It was not credited: credit it now" },
  { value: "credited", label: "It was credited before: mark it as failed" },
];

const vouchPage = page({
  path: "/deposits/:id{[0-9]+}/vouch",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const deposit = await ownDeposit(visit);
    const { id } = deposit;
    const up = { path: `/deposits/${id}`, label: `Deposit ${id}` };
    return (
      <Page visit={visit} title="Vouch for a deposit" up={up}>
        <Card>
          <Question visit={visit} deposit={deposit} />
          <Form visit={visit} action={`/deposits/${id}/vouch`}>
            <Select visit={visit} name="as" label="Your finding" options={VERDICTS} />
            <Field visit={visit} name="note" label="Reason" maxlength={500} isRequired />
            <Submit
              tone="danger"
              confirm="If you are wrong, money is credited twice, or not at all."
            >
              Vouch
            </Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const Question = ({ visit, deposit }: { visit: Visit; deposit: TransactionRow }) => (
  <p>
    The audit log is broken, so it can't prove that these {visit.money(deposit)}{" "}
    (<Hash text={deposit.txHash} />) were not credited before. Find out first: did the merchant get
    a webhook for this deposit, is it in a backup, does the account's ledger have a gap?
  </p>
);

const vouchAct = act({
  path: "/deposits/:id{[0-9]+}/vouch",
  ability: "operate",
  on: vouchPage,
  run: async (visit) => {
    const { id } = await ownDeposit(visit);
    const { verdict, reason } = visit.form.read((fields) => ({
      verdict: fields.required("as", kind.choice(["uncredited", "credited"])),
      reason: fields.required("note", kind.text({ max: 500 })),
    }));
    const order = { ids: [id], isCredited: verdict === "credited", reason, actor: visit.actor };
    const found = first(await vouchForDeposits(visit.deps, order));
    if (found.doubt) throw cannot("You can't vouch for it", found.doubt);
    return done(
      `/deposits/${id}`,
      verdict === "credited"
        ? "The deposit was marked as failed"
        : "The deposit will be credited within seconds",
    );
  },
});

export const VOUCH_ROUTES = [vouchPage, vouchAct];
