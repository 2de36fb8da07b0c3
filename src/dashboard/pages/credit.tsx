import { creditSurplus } from "../../actions/credit_surplus.ts";
import * as kind from "../../domain/kinds.ts";
import { Card } from "../parts/facts.tsx";
import { Field, Form, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { act, done, OPERATORS, page } from "../routes.ts";

const creditPage = page({
  path: "/deposits/credit",
  roles: OPERATORS,
  isSensitive: true,
  show: (visit) => {
    const given = (name: string) => visit.query.get(name) ?? "";
    return (
      <Page visit={visit} title="Credit by hand" up={{ path: "/deposits", label: "Deposits" }}>
        <Card>
          <p>
            For coins that stand on a deposit address and that no transaction told of. The chain is
            asked first: no more is credited than is really there.
          </p>
          <Form visit={visit} action="/deposits/credit">
            <Field
              {...{ visit, name: "network", label: "Network" }}
              value={given("network")}
              isRequired
            />
            <Field
              {...{ visit, name: "address", label: "Deposit address", isMono: true }}
              value={given("address")}
              isRequired
            />
            <Field
              {...{ visit, name: "currency", label: "Currency" }}
              value={given("currency")}
              isRequired
            />
            <Field
              {...{ visit, name: "amount", label: "Amount", inputmode: "decimal" }}
              value={given("amount")}
              isRequired
            />
            <Field
              {...{ visit, name: "tx_hash", label: "Transaction that brought it", isMono: true }}
            />
            <Field {...{ visit, name: "note", label: "Why", maxlength: 500 }} isRequired />
            <Submit confirm="The account may withdraw this money at once.">Credit it</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const creditAct = act({
  path: "/deposits/credit",
  on: creditPage,
  run: async ({ deps, form, actor }) => {
    const order = form.read((fields) => ({
      network: fields.required("network", kind.networkCode),
      address: fields.required("address", kind.text({ max: 128 })),
      currency: fields.required("currency", kind.symbol),
      amount: fields.required("amount", kind.amount),
      txHash: fields.optional("tx_hash", kind.text({ max: 128 })),
      note: fields.required("note", kind.text({ max: 500 })),
    }));
    const row = await creditSurplus(deps, { ...order, actor });
    return done("/deposits", `${row.amount} ${row.currency} are credited as deposit ${row.id}`);
  },
});

export const CREDIT_ROUTES = [creditPage, creditAct];
