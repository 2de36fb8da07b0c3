import { isReplaceable } from "../../../actions/withdrawals/push.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { Form, Submit } from "../../parts/form.tsx";
import type { Visit } from "../../visit.ts";

interface ActionsProps {
  readonly visit: Visit;
  readonly row: WithdrawalRow;
  readonly network: NetworkRow | undefined;
  readonly canPush: boolean;
}

/** The page may be outdated, but each action refuses by itself when it is too late. */
export const WithdrawalActions = ({ visit, row, network, canPush }: ActionsProps) => {
  const action = (name: string) => `/withdrawals/${row.id}/${name}`;
  if (row.status === "pending") return <Cancel visit={visit} action={action("cancel")} />;
  if (row.status !== "broadcasted" || !canPush) return null;
  const canBid = network !== undefined && isReplaceable(network);
  return (
    <div class="actions">
      {canBid && <Push visit={visit} action={action("bump")} label="Bump fee" />}
      <Push visit={visit} action={action("resend")} label="Resend" />
      {canBid && <Revoke visit={visit} action={action("revoke")} />}
    </div>
  );
};

const Cancel = ({ visit, action }: { visit: Visit; action: string }) => (
  <div class="actions">
    <Form visit={visit} action={action} isInline>
      <Submit tone="danger" confirm="Nothing is paid, and the held amount is released.">
        Cancel withdrawal
      </Submit>
    </Form>
  </div>
);

const Push = ({ visit, action, label }: { visit: Visit; action: string; label: string }) => (
  <Form visit={visit} action={action} isInline>
    <Submit tone="plain">{label}</Submit>
  </Form>
);

const Revoke = ({ visit, action }: { visit: Visit; action: string }) => (
  <Form visit={visit} action={action} isInline>
    <Submit
      tone="danger"
      confirm="This sends an empty transaction with a higher fee. Either one may be mined."
    >
      Revoke
    </Submit>
  </Form>
);
