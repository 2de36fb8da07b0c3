import type { Child } from "../../base/html.ts";
import { Accounts } from "../../store/tables/setup.ts";
import { askedName } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { MomentField } from "../../dashboard/parts/lists/moments.tsx";
import type { Visit } from "../../dashboard/visit.ts";

interface AgainProps {
  readonly visit: Visit;
  readonly whose: string;
  readonly account: Child;
}

export const SendAgain = async ({ visit }: { visit: Visit }) => {
  // A form shown again after an error keeps its account.
  const asked = visit.form.text("account") || visit.query.get("account");
  const accountId = visit.seesAll ? visit.accountWanted(asked) : null;
  const known = accountId === null ? undefined : await visit.deps.db.find(Accounts, [accountId]);
  const ofAccount = accountId === null ? " of all accounts" : ` of ${askedName(known)}`;
  const whose = visit.seesAll ? ofAccount : "";
  const account = accountId !== null && (
    <input type="hidden" name="account" value={String(accountId)} />
  );
  return (
    <div class="grid">
      <DeadAgain visit={visit} whose={whose} account={account} />
      <PeriodAgain visit={visit} whose={whose} account={account} />
    </div>
  );
};

const DeadAgain = ({ visit, whose, account }: AgainProps) => (
  <Card title="Resend dead deliveries">
    <p>{`Every dead delivery${whose} starts over with its first attempt.`}</p>
    <Form visit={visit} action="/webhooks/deliveries/dead">
      {account}
      <Submit tone="plain" confirm={`This resends every dead delivery${whose}.`}>
        Resend all dead deliveries
      </Submit>
    </Form>
  </Card>
);

const PeriodAgain = ({ visit, whose, account }: AgainProps) => (
  <Card title="Resend a period">
    <p>
      {`Every event${whose} in this period goes to the webhooks that currently receive its type.`}
    </p>
    <Form visit={visit} action="/webhooks/deliveries/between">
      {account}
      <div class="pair">
        <MomentField visit={visit} name="from" label="From (UTC)" isRequired />
        <MomentField visit={visit} name="to" label="Until (UTC)" isRequired />
      </div>
      <Submit tone="plain" confirm={`This resends every event${whose} in this period.`}>
        Resend events
      </Submit>
    </Form>
  </Card>
);
