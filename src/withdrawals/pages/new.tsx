import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { rulesOf } from "../../chains/registry.ts";
import type { NetworkRow } from "../../networks/table.ts";
import {
  AccountChoice,
  accountChosen,
  accountOf,
  accountSaid,
  seesSeveral,
  withAccount,
} from "../../dashboard/parts/account.tsx";
import { asset } from "../../dashboard/parts/asset.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { COST, feeText, PayoutCost } from "../../dashboard/parts/fee.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Once, onceKey } from "../../dashboard/parts/once.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { shownText } from "../../dashboard/words/amounts.ts";
import * as kind from "../../domain/kinds.ts";
import { payByHand } from "../../payouts/pay.ts";
import { type PayableAsset, payableOf } from "../../payouts/payable.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { CLIENT_REFERENCE_MAX } from "../rules/fields.ts";
import { PayableNow } from "./payable.tsx";
import { faultsOfForm, notPayableFault, payoutFlash } from "../words/payouts.ts";

const newWithdrawalPage = page({
  path: "/withdrawals/new",
  ability: "pay",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="New payout"
        extra="payout"
        up={{ path: withAccount(visit, "/withdrawals"), label: "Payouts" }}
      >
        <AccountChoice visit={visit} account={account} word="From" />
        {account && <WithdrawalForm visit={visit} account={account} />}
      </Page>
    );
  },
});

/** Repeats the input for another look, with the address on a line of its own, and what it costs. */
async function questionFor(visit: Visit): Promise<string> {
  const from = await seesSeveral(visit) ? " from {account}" : "";
  return `Pay {amount} {asset}${from} to\n\`{to_address}\`\n` +
    `{${COST}} Payments to a wrong address can't be called back.`;
}

const WithdrawalForm = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const assets = await payableOf(visit.deps, account.id);
  const options = optionsOf(visit, { assets, catalog: await visit.deps.catalog.current() });
  return (
    <>
      {options.length > 0 && (
        <Card>
          <Form visit={visit} action="/withdrawals/new">
            <Known visit={visit} account={account} />
            <Select
              visit={visit}
              name="asset"
              label="Currency"
              value={visit.query.get("asset") ?? ""}
              options={options}
            />
            <Field visit={visit} name="to_address" label="To address" isMono isRequired />
            <Field
              visit={visit}
              name="amount"
              label="Amount"
              value={visit.query.get("amount") ?? ""}
              inputmode="decimal"
              hint="The amount the recipient gets. The fee is charged on top."
              isRequired
            />
            <PayoutCost />
            <Field
              visit={visit}
              name="reference"
              label="Your reference"
              value={visit.query.get("reference") ?? ""}
              maxlength={CLIENT_REFERENCE_MAX}
            />
            <Submit confirm={await questionFor(visit)}>Pay out</Submit>
          </Form>
        </Card>
      )}
      <PayableNow visit={visit} assets={assets} />
    </>
  );
};

const Known = ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { id } = account;
  return (
    <>
      <input type="hidden" name="account" value={String(id)} data-said={accountSaid(account)} />
      <Once visit={visit} />
    </>
  );
};

function optionsOf(
  visit: Visit,
  { assets, catalog }: { assets: readonly PayableAsset[]; catalog: Catalog },
) {
  return assets.map(({ currency, payable }) => {
    const { network, symbol } = currency;
    const value = `${network}/${symbol}`;
    return {
      value,
      label: visit.asset(value) + (payable ? `: ${shownText(payable.toString())} payable now` : ""),
      said: visit.asset(value),
      fee: feeText(currency),
      rules: JSON.stringify({
        symbol,
        payable: payable?.toString(),
        minimum: currency.minWithdrawalAmount,
        flat: currency.feeFlat,
        percent: currency.feePercent,
        address: formOf(catalog.network(network)),
      }),
    };
  });
}

/** What the browser checks an address by, while it is typed. */
function formOf(network: NetworkRow | undefined): string | undefined {
  return network && rulesOf(network).addressForm.source;
}

const newWithdrawalAct = act({
  path: "/withdrawals/new",
  ability: "pay",
  isUrgent: true,
  on: newWithdrawalPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const account = await accountChosen(visit);
    const { reference, key, ...order } = form.read((fields) => {
      return {
        ...fields.required("asset", asset),
        toAddress: fields.required("to_address", kind.text({ max: 256 })),
        amount: fields.required("amount", kind.amount),
        reference: fields.optional("reference", kind.text({ max: CLIENT_REFERENCE_MAX })),
        key: onceKey(fields),
      };
    });
    const paid = await payByHand(deps, {
      ...order,
      actor,
      accountId: account.id,
      clientReference: reference ?? key,
    });
    if (paid.kind === "faults") throw faultsOfForm(paid.checked);
    if (paid.kind === "not_payable") throw notPayableFault(paid.why);
    return { to: `/withdrawals/${paid.row.id}`, flash: payoutFlash(paid.row) };
  },
});

export const NEW_WITHDRAWAL_ROUTES = [newWithdrawalPage, newWithdrawalAct];
