import { reverseDeposit } from "../../../actions/deposits/reverse.ts";
import * as kind from "../../../domain/kinds.ts";
import { Card } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, page } from "../../routes.ts";
import { coinText } from "../../words/assets.ts";
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
            Use this if the {amount} {coinText(row)} are permanently gone from{" "}
            <code class="whole">{toAddress}</code>. The credit is reversed, and the account's
            balance may become negative. No coins are moved.
          </p>
          <Form visit={visit} action={`/deposits/${id}/reverse`}>
            <Field visit={visit} name="note" label="Reason" maxlength={500} isRequired />
            <Submit tone="danger" confirm="This cannot be undone.">Reverse</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const reverseAct = act({
  path: "/deposits/:id{[0-9]+}/reverse",
  ability: "operate",
  on: reversePage,
  run: async (visit) => {
    const { id } = await ownDeposit(visit);
    const { note } = visit.form.read((fields) => ({
      note: fields.required("note", kind.text({ max: 500 })),
    }));
    const { amount, currency } = await reverseDeposit(visit.deps, { id, note, actor: visit.actor });
    return done(`/deposits/${id}`, `Reversed ${amount} ${currency}`);
  },
});

export const REVERSE_ROUTES = [reversePage, reverseAct];
