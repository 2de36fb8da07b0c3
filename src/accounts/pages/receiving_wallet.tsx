import { networkOptions } from "../../dashboard/parts/filters.tsx";
import { networkName } from "../../networks/catalogue.ts";
import { planReceivingWallet, type ReceivingPlan } from "../plan_receiving_wallet.ts";
import { coolingMsOf, keepReceivingWallet, receivingWalletSet } from "../receiving_wallet.ts";
import type { AccountRow, ReceivingWalletRow } from "../tables/accounts.ts";
import { rulesOf } from "../../chains/registry.ts";
import { FormFault } from "../../dashboard/form.ts";
import { accountAsked, AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { Address, Card, type Fact, Facts, utcText } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { durationText } from "../../domain/time.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";

const TYPED_CHARACTERS = 6;
const UP = { path: "/wallets", label: "Wallets" };

const receivingPage = page({
  path: "/wallets/receiving",
  ability: "set_up_account",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    const { networks } = await visit.deps.catalog.current();
    return (
      <Page visit={visit} title="Receiving wallet" up={UP}>
        <AccountChoice visit={visit} account={account} />
        {account && <Ask visit={visit} account={account} networks={networks} />}
      </Page>
    );
  },
});

interface AskProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly networks: readonly NetworkRow[];
}

const Ask = ({ visit, account, networks }: AskProps) => (
  <Card>
    <p>
      All deposits on this network are swept to this address, and nobody can call them back. The
      first address counts at once; a changed one after {coolingOf(account)}, unless you cancel it.
    </p>
    {hasKeys(networks) && (
      <p>
        {`On ${keysText(networks)} it can be the extended public key of your own wallet instead: `}
        then deposits arrive there, and nothing has to be swept.
      </p>
    )}
    <Form visit={visit} action="/wallets/receiving">
      <input type="hidden" name="account" value={String(account.id)} />
      <Select
        visit={visit}
        name="network"
        label="Network"
        options={networkOptions(networks)}
        value={visit.query.get("network") ?? ""}
      />
      <Field
        visit={visit}
        name="address"
        label={hasKeys(networks) ? "Address or extended public key" : "Address"}
        isMono
        isRequired
      />
      <Submit>Review</Submit>
    </Form>
  </Card>
);

/** By network, since a test network takes others. */
function keysText(networks: readonly NetworkRow[]): string {
  const known = networks.flatMap((network) => {
    const names = rulesOf(network).extendedKeys?.names;
    return names === undefined ? [] : [`${networkName(network)} (${names})`];
  });
  return new Intl.ListFormat("en-GB").format(known);
}

function hasKeys(networks: readonly NetworkRow[]): boolean {
  return networks.some((network) => rulesOf(network).extendedKeys !== undefined);
}

/** Checks the address and shows it for comparison. Nothing is stored yet. */
const lookAct = act({
  path: "/wallets/receiving",
  ability: "set_up_account",
  on: receivingPage,
  run: async (visit) => {
    const account = await whose(visit);
    const plan = await planOf(visit, account);
    return <Confirmation visit={visit} account={account} plan={plan} />;
  },
});

interface ConfirmationProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly plan: ReceivingPlan;
}

const Confirmation = ({ visit, account, plan }: ConfirmationProps) => (
  <Page visit={visit} title="Compare the address, character by character" up={UP}>
    {plan.lookAlikes.map((other) => (
      <p class="message fault" role="alert">
        This begins and ends like{" "}
        <code class="whole">{other}</code>, but it is a different address. Someone may have swapped
        it: compare the middle.
      </p>
    ))}
    <Card>
      <Change account={account} plan={plan} />
      <TypedEnd visit={visit} account={account} plan={plan} />
    </Card>
  </Page>
);

const Change = ({ account, plan }: Omit<ConfirmationProps, "visit">) => (
  <Facts
    rows={[
      ["Account", `${account.id}, ${account.name}`],
      ["Network", networkName(plan.network)],
      [plan.firstAddress === null ? "New address" : "New key", <Address text={plan.address} />],
      ...firstAddressOf(plan),
      [
        "Current address",
        plan.before === null ? "none" : <Address text={plan.before} />,
      ],
      ["Takes effect", plan.before === null ? "at once" : `after ${coolingOf(account)}`],
    ]}
  />
);

const TypedEnd = ({ visit, account, plan }: ConfirmationProps) => (
  <Form visit={visit} action="/wallets/receiving/set">
    <input type="hidden" name="account" value={String(account.id)} />
    <input type="hidden" name="network" value={plan.network.code} />
    <input type="hidden" name="address" value={plan.address} />
    <Field
      visit={visit}
      name="last"
      label={`Last ${TYPED_CHARACTERS} characters of the new ${
        plan.firstAddress === null ? "address" : "key"
      }`}
      isMono
      hint="Copy them from your own record of the address, not from this page"
      isRequired
    />
    <Submit>{submitText(plan)}</Submit>
  </Form>
);

function firstAddressOf({ firstAddress }: ReceivingPlan): Fact[] {
  if (firstAddress === null) return [];
  return [["First address, as your wallet must show it", <Address text={firstAddress} />]];
}

function submitText({ before, firstAddress }: ReceivingPlan): string {
  if (firstAddress !== null) return "Use this key";
  return before === null ? "Sweep to this address" : "Change to this address";
}

const confirmationPage = page({
  path: "/wallets/receiving",
  ability: "set_up_account",
  isSensitive: true,
  show: async (visit) => {
    const account = await whose(visit);
    return <Confirmation visit={visit} account={account} plan={await planOf(visit, account)} />;
  },
});

const setAct = act({
  path: "/wallets/receiving/set",
  ability: "set_up_account",
  on: confirmationPage,
  run: async (visit) => {
    const account = await whose(visit);
    const { network, address } = await planOf(visit, account);
    const [typed, last] = [visit.form.text("last").trim(), address.slice(-TYPED_CHARACTERS)];
    if (typed.toLowerCase() !== last.toLowerCase()) {
      const fields = new Map([["last", "These are not the last characters of the address"]]);
      throw new FormFault("Nothing was changed. Check the highlighted field", fields);
    }
    const wanted = { accountId: account.id, network: network.code, address, isNow: false };
    const outcome = await changeOrPropose(visit, receivingWalletSet, { wanted });
    const text = outcome.proposal ? waitsText(outcome.proposal) : setText(visit, outcome.done);
    return done(`/wallets?account=${account.id}`, text);
  },
});

function setText(visit: Visit, row: ReceivingWalletRow): string {
  const { address, nextAddress, nextAtMs } = row;
  const network = visit.network(row.network);
  return nextAtMs === null
    ? `Deposits on ${network} are now swept to ${address}`
    : `From ${utcText(nextAtMs)} on, deposits on ${network} are swept to ${nextAddress}`;
}

const cancelAct = act({
  path: "/wallets/receiving/cancel",
  ability: "set_up_account",
  isUrgent: true,
  on: receivingPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const { id: accountId } = await whose(visit);
    const network = form.read((fields) => fields.required("network", kind.networkCode));
    const { address } = await keepReceivingWallet(deps, { accountId, network, actor });
    return done(
      `/wallets?account=${accountId}`,
      `Deposits on ${visit.network(network)} stay with ${address}`,
    );
  },
});

function coolingOf(account: AccountRow): string {
  return durationText(coolingMsOf(account));
}

async function whose(visit: Visit): Promise<AccountRow> {
  const account = await accountAsked(visit, visit.form.text("account"));
  if (!account) throw new NotFound();
  return account;
}

function planOf(visit: Visit, { id: accountId }: AccountRow): Promise<ReceivingPlan> {
  const order = visit.form.read((fields) => ({
    network: fields.required("network", kind.networkCode),
    address: fields.required("address", kind.text({ max: 128 })),
  }));
  return planReceivingWallet(visit.deps, { accountId, ...order });
}

export const RECEIVING_ROUTES = [receivingPage, lookAct, setAct, cancelAct];
