import { lookAtSurplus } from "../surplus.ts";
import { deadlineIn, OutOfTime } from "../../base/waiting/deadline.ts";
import { formOf } from "../../dashboard/asking.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { errorForUser } from "../../dashboard/words/refusals.ts";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { CREDIT_DEPOSIT } from "../../reconcile/operations.ts";

/** A node that hangs must not delay the page. */
const NODE_MS = 3_000;

const creditPage = page({
  path: "/deposits/credit",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const found = await look(visit);
    return (
      <Page visit={visit} title="Credit manually" up={{ path: "/deposits", label: "Payments" }}>
        <Card>
          <p>
            For coins on a deposit address that no known transaction explains. The chain is checked
            first: you can't credit more than is really there.
          </p>
          {found && <p class={`message ${found.amount ? "done" : "warn"}`}>{found.text}</p>}
          <Form visit={visit} action="/deposits/credit">
            <Asked visit={visit} found={found} />
            <Field visit={visit} name="tx_hash" label="Transaction hash" isMono />
            <Field visit={visit} name="note" label="Reason" maxlength={500} isRequired />
            <Submit confirm="The account can withdraw this money immediately.">Credit</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const Asked = ({ visit, found }: { visit: Visit; found: Found | undefined }) => {
  const given = (name: string) => visit.query.get(name) ?? "";
  const field = (name: string, label: string, isMono = false) => (
    <Field
      visit={visit}
      name={name}
      label={label}
      isMono={isMono}
      value={given(name)}
      isRequired
    />
  );
  return (
    <>
      {field("network", "Network")}
      {field("address", "Deposit address", true)}
      {field("currency", "Currency")}
      <Field
        visit={visit}
        name="amount"
        label="Amount"
        inputmode="decimal"
        value={found?.amount ?? given("amount")}
        isRequired
      />
    </>
  );
};

interface Found {
  readonly text: string;
  readonly amount?: string;
}

/** What is on the address named in the query; undefined if none is. */
async function look({ deps, query }: Visit): Promise<Found | undefined> {
  const [network, address, currency] = ["network", "address", "currency"]
    .map((name) => query.get(name)?.trim() ?? "");
  if (!network || !address || !currency) return undefined;
  const deadline = deadlineIn(NODE_MS);
  try {
    const asked = lookAtSurplus(deps, { network, address, currency });
    const { amount, symbol } = await deadline.race(asked);
    if (amount.isZero() || amount.isNegative()) {
      return { text: "There is no unexplained surplus with enough confirmations" };
    }
    return { text: `Unexplained surplus: ${amount} ${symbol}`, amount: `${amount}` };
  } catch (error) {
    const shown = error instanceof OutOfTime ? error : errorForUser(error);
    if (!shown) throw error;
    return { text: shown.message };
  } finally {
    deadline.cancel();
  }
}

const creditAct = formOf(CREDIT_DEPOSIT, {
  path: "/deposits/credit",
  on: creditPage,
  fields: { names: ["network", "address", "currency", "amount", "note", "tx-hash"] },
  to: "/deposits",
  said: ({ amount, currency, transaction_id }) =>
    `Credited ${amount} ${currency} as deposit ${transaction_id}`,
});

export const CREDIT_ROUTES = [creditPage, creditAct];
