import { deciderOf, isDecider } from "../../approvals/decider.ts";
import { lookAtPayout, type PayoutLook } from "../../approvals/look.ts";
import { Approvals } from "../../approvals/table.ts";
import { Facts } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { namesOf } from "../../dashboard/parts/payment/names.ts";
import {
  approvalQuestion,
  LookAlike,
  lookFacts,
} from "../../dashboard/parts/payment/payout_look.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { Story } from "./_story.ts";

export const REASON_MAX = 500;

interface DecideProps {
  readonly visit: Visit;
  readonly story: Story;
  readonly worth: string | undefined;
}

/** For those whose approval counts; the action checks it again. */
export const Decide = async ({ visit, story, worth }: DecideProps) => {
  const { row, request } = story;
  const isWaiting = row.status === "pending" && row.approval === "waiting";
  const decider = deciderOf(visit.user, visit.actor);
  if (!isWaiting || !request || !isDecider(request, decider)) return null;
  const given = await visit.deps.db.list(Approvals, { withdrawalId: row.id });
  if (given.some(({ person }) => person === decider.person)) {
    return <p class="message">You have approved it.</p>;
  }
  const look = await lookAtPayout(visit.deps, request);
  const names = await namesOf(visit, [look.askedBy]);
  return (
    <>
      {look.looksLike !== undefined && <LookAlike address={look.looksLike} />}
      <Facts rows={lookFacts({ visit, names, look })} />
      <Buttons visit={visit} look={look} worth={worth} />
    </>
  );
};

interface ButtonsProps {
  readonly visit: Visit;
  readonly look: PayoutLook;
  readonly worth: string | undefined;
}

const Buttons = ({ visit, look, worth }: ButtonsProps) => (
  <div class="decide">
    <Form visit={visit} action={`/withdrawals/${look.row.id}/approve`}>
      <Submit confirm={approvalQuestion(visit, { look, worth })}>Approve</Submit>
    </Form>
    <details>
      <summary class="button plain">Reject it</summary>
      <Form visit={visit} action={`/withdrawals/${look.row.id}/reject`}>
        <Field visit={visit} name="reason" label="Reason" maxlength={REASON_MAX} isRequired />
        <Submit tone="danger">Reject</Submit>
      </Form>
    </details>
  </div>
);
