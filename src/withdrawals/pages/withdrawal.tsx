import {
  BUMP_WITHDRAWAL,
  CANCEL_WITHDRAWAL,
  RESEND_WITHDRAWAL,
  REVOKE_WITHDRAWAL,
} from "../operations/withdrawal.ts";
import { isInDoubt } from "../settle_by_hand.ts";
import type { NoteSubject } from "../../notes/table.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";
import { Card, Money, Status } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { EventsCard } from "../../dashboard/parts/payment/events.tsx";
import { NotesCard, writeNote } from "../../dashboard/parts/payment/notes.tsx";
import { stepFigures, Steps } from "../../dashboard/parts/payment/steps.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { payoutSentence, whyText } from "../words/payout_state.ts";
import { LedgerLines } from "../../books/pages/ledger_lines.tsx";
import { Decide } from "./_decide.tsx";
import { PayoutFacts } from "./_facts.tsx";
import { RecipientHistory } from "./_recipient.tsx";
import { stepsOf } from "./_state.ts";
import { knownOf, minutesOf, progressOf, reloadOf, type Story, storyOf } from "./_story.ts";
import { Stuck } from "./_stuck.tsx";
import { Timeline } from "./_timeline.tsx";
import { WithdrawalActions } from "./_withdrawal_actions.tsx";

const UP = { path: "/withdrawals", label: "Payouts" };

export const ownWithdrawal = async (visit: Visit): Promise<WithdrawalRow> =>
  visit.own(await visit.deps.db.find(Withdrawals, [visit.id()]));

export const withdrawalPage = page({
  path: "/withdrawals/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const row = await ownWithdrawal(visit);
    const story = await storyOf(visit, row);
    return (
      <Page visit={visit} title={`Payout ${row.id}`} up={UP} reload={reloadOf(story)} isLive>
        <State visit={visit} story={story} />
        <Card title="Payout">
          <PayoutFacts visit={visit} story={story} />
        </Card>
        <Card title="Timeline">
          <Timeline visit={visit} story={story} />
        </Card>
        <LedgerLines visit={visit} entries={story.entries} />
        <EventsCard visit={visit} events={story.events} empty="No event was sent about it yet" />
        <NotesCard
          visit={visit}
          subject={subjectOf(row)}
          action={`/withdrawals/${row.id}/notes`}
        />
        <RecipientHistory visit={visit} row={row} />
      </Page>
    );
  },
  live: async (visit) => {
    const progress = await progressOf(visit, await ownWithdrawal(visit));
    return {
      reload: reloadOf(progress),
      depth: String(progress.depth ?? 0),
      waited: minutesOf(progress),
      ...stepFigures(stepsOf(progress)),
    };
  },
});

const State = ({ visit, story }: { visit: Visit; story: Story }) => {
  const { row, bids, whys } = story;
  const known = knownOf(story);
  return (
    <Card title="State" actions={<Status value={row.status} />}>
      <p class="big">
        <Money amount={row.amount} currency={row.currency} isWhole />
      </p>
      <p class="whole">{payoutSentence(known)}</p>
      {whys.slice(1).map((why) => <p class="message warn">{whyText(why, known)}</p>)}
      <Steps steps={stepsOf(story)} />
      <Decide visit={visit} story={story} />
      <Stuck visit={visit} story={story} />
      <WithdrawalActions visit={visit} story={story} />
      {visit.isOperator && row.status === "broadcasted" && bids.some(isInDoubt) && (
        <InDoubt id={row.id} />
      )}
    </Card>
  );
};

const InDoubt = ({ id }: { id: number }) => (
  <p class="message warn">
    Its token logged no payment:{" "}
    <a href={`${BASE}/withdrawals/${id}/settle`}>review and settle it</a>
  </p>
);

const common = { on: withdrawalPage, to: "/withdrawals/:id" };

const pushActs = [
  formOf(CANCEL_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/cancel",
    said: () => "Cancelled. The held amount is released",
  }),
  formOf(BUMP_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/bump",
    said: () => "The payment was sent again with a higher fee",
  }),
  formOf(RESEND_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/resend",
    said: ({ result }) => `Sent again: ${result}`,
  }),
  formOf(REVOKE_WITHDRAWAL, {
    ...common,
    path: "/withdrawals/:id{[0-9]+}/revoke",
    said: () => "Cancelling: an empty transaction with a higher fee was sent",
  }),
];

const noteAct = act({
  path: "/withdrawals/:id{[0-9]+}/notes",
  ability: "approve",
  on: withdrawalPage,
  run: async (visit) => {
    const row = await ownWithdrawal(visit);
    await writeNote(visit, subjectOf(row));
    return done(`/withdrawals/${row.id}`, "The note was added");
  },
});

function subjectOf({ id, accountId }: WithdrawalRow): NoteSubject {
  return { accountId, about: "withdrawal", name: String(id) };
}

export const WITHDRAWAL_ROUTES = [withdrawalPage, ...pushActs, noteAct];
