import { isReplaceable } from "../push.ts";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { Story } from "./_story.ts";

/** The page may be outdated, but each action refuses by itself when it is too late. */
export const WithdrawalActions = ({ visit, story }: { visit: Visit; story: Story }) => {
  const { row, network, depth, isStuck, canPush } = story;
  const action = (name: string) => `/withdrawals/${row.id}/${name}`;
  if (row.status === "pending") {
    return row.transferId === null && <Cancel visit={visit} action={action("cancel")} />;
  }
  if (row.status !== "broadcasted" || depth !== undefined || !canPush) return null;
  const canBid = isReplaceable(network);
  return (
    <>
      {canBid && !isStuck && <Push visit={visit} action={action("bump")} label="Bump fee" />}
      <Push visit={visit} action={action("resend")} label="Resend" />
      {canBid && <Revoke visit={visit} action={action("revoke")} />}
    </>
  );
};

const Cancel = ({ visit, action }: { visit: Visit; action: string }) => (
  <Form visit={visit} action={action} isInline>
    <Submit tone="danger" confirm="Nothing is paid, and the held amount is released.">
      Cancel payout
    </Submit>
  </Form>
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
