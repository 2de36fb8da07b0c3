import { withdrawByHand } from "../../../actions/withdrawals/by_hand.ts";
import { randomToken } from "../../../base/bytes.ts";
import * as kind from "../../../domain/kinds.ts";
import type { AccountRow } from "../../../store/tables/setup.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { balancesOf, currenciesOf } from "../../../store/reads/pages/lists.ts";
import { assetOf } from "../../../domain/money/amount.ts";
import { AccountChoice, accountChosen, accountOf, accountSaid } from "../../parts/account.tsx";
import { Card, Empty } from "../../parts/facts.tsx";
import { availableOf } from "../../parts/balances.tsx";
import { feeText } from "../../parts/fee.ts";
import { Field, Form, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import type { Flash } from "../../cookies.ts";
import { act, page } from "../../routes.ts";
import type { Visit } from "../../visit.ts";

const REFERENCE_BYTES = 15;

/** As in the list: "ETH/USDT". */
const asset: kind.Kind<{ network: string; currency: string }> = {
  word: "NETWORK/SYMBOL",
  is: "one of the listed currencies",
  read: (text) => {
    const [network, currency, ...rest] = text.split("/");
    return network && currency && rest.length === 0 ? { network, currency } : undefined;
  },
};

const newWithdrawalPage = page({
  path: "/withdrawals/new",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="New withdrawal"
        up={{ path: "/withdrawals", label: "Withdrawals" }}
      >
        <AccountChoice visit={visit} account={account} word="From" />
        {account && <WithdrawalForm visit={visit} account={account} />}
      </Page>
    );
  },
});

/** Repeats the input for another look, with the address on a line of its own. */
const QUESTION = "Pay {amount} {asset} from {account} to\n{to_address}\n" +
  "Fee on top: {asset.fee}. Payments to a wrong address can't be called back.";

const WithdrawalForm = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const options = await assetOptions(visit, account.id);
  if (options.length === 0) return <NoCurrency />;
  return (
    <Card>
      <Form visit={visit} action="/withdrawals/new">
        <Known visit={visit} account={account} />
        <Select visit={visit} name="asset" label="Currency" options={options} />
        <Field visit={visit} name="to_address" label="To address" isMono isRequired />
        <Field
          visit={visit}
          name="amount"
          label="Amount"
          inputmode="decimal"
          hint="The amount the recipient gets. The fee is charged on top."
          isRequired
        />
        <Field visit={visit} name="reference" label="Your reference" maxlength={128} />
        <Submit confirm={QUESTION}>Pay out</Submit>
      </Form>
    </Card>
  );
};

const NoCurrency = () => (
  <Card>
    <Empty>No currency is enabled for withdrawals.</Empty>
  </Card>
);

const Known = ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const once = visit.typed("once", randomToken(REFERENCE_BYTES));
  const { id } = account;
  return (
    <>
      <input type="hidden" name="account" value={String(id)} data-said={accountSaid(account)} />
      <input type="hidden" name="once" value={once} />
    </>
  );
};

async function assetOptions(visit: Visit, accountId: number) {
  const [enabled, balances, catalog] = await Promise.all([
    currenciesOf(visit.deps.db, accountId),
    balancesOf(visit.deps.db, accountId),
    visit.deps.catalog.current(),
  ]);
  const free = new Map(balances.map((row) => [assetOf(row), availableOf(row)]));
  const options = enabled.filter((row) => row.isWithdrawalEnabled).flatMap((row) => {
    const currency = catalog.currency(row.network, row.currency);
    if (!currency) return [];
    const value = assetOf(row);
    const label = `${value}: ${free.get(value) ?? "0"} available`;
    return [{ value, label, said: `${row.currency} on ${row.network}`, fee: feeText(currency) }];
  });
  return options.toSorted((a, b) => a.value < b.value ? -1 : 1);
}

const newWithdrawalAct = act({
  path: "/withdrawals/new",
  on: newWithdrawalPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const account = await accountChosen(visit);
    const { reference, once, ...order } = form.read((fields) => {
      return {
        ...fields.required("asset", asset),
        toAddress: fields.required("to_address", kind.text({ max: 256 })),
        amount: fields.required("amount", kind.amount),
        reference: fields.optional("reference", kind.text({ max: 128 })),
        once: fields.required("once", kind.text({ max: 64 })),
      };
    });
    const row = await withdrawByHand(deps, {
      ...order,
      actor,
      accountId: account.id,
      reference: reference ?? `dashboard-${once}`,
    });
    return { to: `/withdrawals/${row.id}`, flash: flashOf(row) };
  },
});

function flashOf({ status }: WithdrawalRow): Flash {
  if (status === "failed") {
    return { kind: "fault", text: "The withdrawal could not be sent. Nothing is held" };
  }
  const text = status === "pending"
    ? "Accepted. It will be paid once payments resume"
    : "The withdrawal is on its way";
  return { kind: "done", text };
}

export const NEW_WITHDRAWAL_ROUTES = [newWithdrawalPage, newWithdrawalAct];
