import { bookAdjustment } from "../manage_accounts.ts";
import * as kind from "../../domain/kinds.ts";
import type { BalanceRow } from "../../books/table.ts";
import { type AccountRow, Accounts, type CurrencyRow } from "../../store/tables/setup.ts";
import { askedName } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";

const NOTE = kind.text({ max: 500 });
const ASSET = kind.text({ max: 70 });

/** The account in the path, for operators. */
export async function theAccount(visit: Visit): Promise<AccountRow> {
  const account = await visit.deps.db.find(Accounts, [visit.id()]);
  if (!account) throw new NotFound();
  return account;
}

const adjustPage = page({
  path: "/accounts/:id{[0-9]+}/adjust",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const account = await theAccount(visit);
    const { id, name } = account;
    const { currencies } = await visit.deps.catalog.current();
    return (
      <Page visit={visit} title="Adjust balance" up={{ path: `/accounts/${id}`, label: name }}>
        <Card>
          <p>
            This books a ledger entry without a transaction. It moves no coins; whatever you add can
            be withdrawn from the account's hot wallet.
          </p>
          <Entry visit={visit} account={account} currencies={currencies} />
        </Card>
      </Page>
    );
  },
});

interface EntryProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly currencies: readonly CurrencyRow[];
}

const Entry = ({ visit, account, currencies }: EntryProps) => {
  const options = currencies.map(({ network, symbol }) => {
    const value = `${network}/${symbol}`;
    return { value, label: assetText(value), said: assetText(value) };
  });
  return (
    <Form visit={visit} action={`/accounts/${account.id}/adjust`}>
      <Once visit={visit} />
      <Select visit={visit} name="asset" label="Currency" options={options} />
      <Field
        visit={visit}
        name="amount"
        label="Amount"
        isMono
        hint="Use a minus sign to subtract"
        isRequired
      />
      <Field visit={visit} name="note" label="Reason" maxlength={500} isRequired />
      <Field
        visit={visit}
        name="reference"
        label="Reference"
        maxlength={128}
        hint="Your own name for this entry. An entry with the same reference is booked only once"
      />
      <Check visit={visit} name="allow_negative" label="Allow a negative balance" />
      <Submit
        confirm={`This changes the balance of ${
          askedName(account)
        } by {amount} {asset} immediately.`}
      >
        Book entry
      </Submit>
    </Form>
  );
};

const bookedText = ({ balance, currency }: BalanceRow) =>
  `The balance is now ${balance} ${currency}`;

const replayText = (reference: string | undefined) =>
  reference === undefined
    ? "Nothing was booked: this form was already sent"
    : "Nothing was booked: this reference is already in use";

const adjustAct = act({
  path: "/accounts/:id{[0-9]+}/adjust",
  ability: "operate",
  on: adjustPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id: accountId } = await theAccount(visit);
    const { asset, key, reference, ...entry } = form.read((fields) => ({
      asset: fields.required("asset", ASSET),
      amount: fields.required("amount", kind.signedAmount),
      note: fields.required("note", NOTE),
      reference: fields.optional("reference", kind.text({ max: 128 })),
      key: onceKey(fields),
    }));
    const [network = "", currency = ""] = asset.split("/");
    const isNegativeAllowed = form.values.has("allow_negative");
    const { row, isReplay } = await bookAdjustment(deps, {
      ...entry,
      accountId,
      network,
      currency,
      reference: reference ?? key,
      isNegativeAllowed,
      actor,
    });
    return done(`/accounts/${accountId}`, isReplay ? replayText(reference) : bookedText(row));
  },
});

export const ADJUST_ROUTES = [adjustPage, adjustAct];
