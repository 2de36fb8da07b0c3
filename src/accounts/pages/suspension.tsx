import { SUSPEND_ACCOUNT, UNSUSPEND_ACCOUNT } from "../operations/account.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { askedName } from "../../dashboard/parts/account.tsx";
import { Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { formOf } from "../../dashboard/asking.ts";
import type { ActRoute, PageRoute } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";

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
      <FlagFields visit={visit} operation={SUSPEND_ACCOUNT} names={["reason"]} />
      <Submit tone="danger" confirm={`This suspends ${askedName(account)} immediately.`}>
        Suspend
      </Submit>
    </Form>
  </Card>
);

export function suspensionActs(on: PageRoute): ActRoute[] {
  return [
    formOf(SUSPEND_ACCOUNT, {
      path: "/accounts/:id{[0-9]+}/suspend",
      on,
      fields: { names: ["reason"] },
      to: "/accounts/:id",
      said: () => "The account is suspended",
    }),
    formOf(UNSUSPEND_ACCOUNT, {
      path: "/accounts/:id{[0-9]+}/unsuspend",
      on,
      isSensitive: true,
      to: "/accounts/:id",
      said: () => "The account is no longer suspended",
    }),
  ];
}
