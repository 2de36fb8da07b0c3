import { deciderOf, isDecider } from "../../approvals/decider.ts";
import { lookAtPayout } from "../../approvals/look.ts";
import { separated } from "../../domain/money/written.ts";
import { Approvals } from "../../approvals/table.ts";
import type { WithdrawalRow } from "../table.ts";
import { type Fact, Facts, Hash } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { namesOf } from "../../dashboard/parts/payment/names.ts";
import { LookAlike, lookFacts } from "../../dashboard/parts/payment/payout_look.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { coinText } from "../../dashboard/words/assets.ts";
import type { Story } from "./_story.ts";

export const REASON_MAX = 500;

/** For those whose approval counts; the action checks it again. */
export const Decide = async ({ visit, story }: { visit: Visit; story: Story }) => {
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
      <Facts rows={[toFact(row), ...lookFacts({ names, look, nowMs: visit.nowMs })]} />
      <Buttons visit={visit} row={row} />
    </>
  );
};

const Buttons = ({ visit, row }: { visit: Visit; row: WithdrawalRow }) => (
  <>
    <Form visit={visit} action={`/withdrawals/${row.id}/approve`}>
      <Submit
        confirm={`Approve ${separated(row.amount)} ${coinText(row)} to\n\`${row.toAddress}\``}
      >
        Approve
      </Submit>
    </Form>
    <details>
      <summary>Reject it</summary>
      <Form visit={visit} action={`/withdrawals/${row.id}/reject`}>
        <Field visit={visit} name="reason" label="Reason" maxlength={REASON_MAX} isRequired />
        <Submit tone="danger">Reject</Submit>
      </Form>
    </details>
  </>
);

/** Here too, to be compared with the look-alike. */
function toFact({ toAddress }: WithdrawalRow): Fact {
  return ["To", <Hash text={toAddress} isWhole />];
}
