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

/** What the visitor has to know to decide; null: they have approved it; undefined: they needn't. */
export type ToDecide = PayoutLook | null | undefined;

/** For those whose approval counts; the action checks it again. */
export async function toDecide(
  visit: Visit,
  { row, request }: Pick<Story, "row" | "request">,
): Promise<ToDecide> {
  const isWaiting = row.status === "pending" && row.approval === "waiting";
  const decider = deciderOf(visit.user, visit.actor);
  if (!isWaiting || !request || !isDecider(request, decider)) return undefined;
  const given = await visit.deps.db.list(Approvals, { withdrawalId: row.id });
  if (given.some(({ person }) => person === decider.person)) return null;
  return await lookAtPayout(visit.deps, request);
}

interface DecideProps {
  readonly visit: Visit;
  readonly look: ToDecide;
  readonly worth: string | undefined;
}

export const Decide = async ({ visit, look, worth }: DecideProps) => {
  if (look === undefined) return null;
  if (look === null) return <p class="message">You have approved it.</p>;
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
