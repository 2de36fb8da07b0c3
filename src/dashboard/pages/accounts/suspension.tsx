import { suspendAccount, unsuspendAccount } from "../../../actions/accounts/suspend.ts";
import * as kind from "../../../domain/kinds.ts";
import type { AccountRow } from "../../../store/tables/setup.ts";
import { askedName } from "../../parts/account.tsx";
import { Card, Facts, Time } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { act, type ActRoute, type Done, done, type PageRoute } from "../../routes.ts";
import type { Visit } from "../../visit.ts";

const REASON = kind.text({ max: 500 });

export const Suspension = ({ visit, account }: { visit: Visit; account: AccountRow }) =>
  account.suspendedAtMs === null
    ? visit.isAble("operate") && <Suspend visit={visit} account={account} />
    : <Suspended visit={visit} account={account} />;

const Suspended = (
  { visit, account: { id, suspendedAtMs, suspendedReason } }: { visit: Visit; account: AccountRow },
) => (
  <Card title="Suspended">
    <Facts rows={[["Since", <Time atMs={suspendedAtMs} />], ["Reason", suspendedReason]]} />
    <Form visit={visit} action={`/accounts/${id}/unsuspend`}>
      <Submit confirm="Its keys and users can make changes again, and waiting payouts will be paid.">
        Unsuspend
      </Submit>
    </Form>
  </Card>
);

const Suspend = ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card title="Suspend">
    <p>
      While an account is suspended, its keys and users can only read, and unsigned withdrawals
      wait. Deposits are credited and swept as usual.
    </p>
    <Form visit={visit} action={`/accounts/${account.id}/suspend`}>
      <Field
        visit={visit}
        name="reason"
        label="Reason"
        maxlength={500}
        hint="Shown to the account's users"
        isRequired
      />
      <Submit tone="danger" confirm={`This suspends ${askedName(account)} immediately.`}>
        Suspend
      </Submit>
    </Form>
  </Card>
);

export function suspensionActs(on: PageRoute): ActRoute[] {
  return [
    act({ path: "/accounts/:id{[0-9]+}/suspend", ability: "operate", on, run: suspend }),
    act({
      path: "/accounts/:id{[0-9]+}/unsuspend",
      ability: "operate",
      on,
      isSensitive: true,
      run: unsuspend,
    }),
  ];
}

async function suspend(visit: Visit): Promise<Done> {
  const { deps, form, actor } = visit;
  const { reason } = form.read((fields) => ({ reason: fields.required("reason", REASON) }));
  const accountId = visit.id();
  await suspendAccount(deps, { accountId, reason, actor });
  return done(`/accounts/${accountId}`, "The account is suspended");
}

async function unsuspend(visit: Visit): Promise<Done> {
  const accountId = visit.id();
  await unsuspendAccount(visit.deps, { accountId, actor: visit.actor });
  return done(`/accounts/${accountId}`, "The account is no longer suspended");
}
