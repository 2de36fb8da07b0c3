import type { Paying } from "../../transfers/table.ts";
import { Time } from "../../dashboard/parts/facts.tsx";
import { deedsOf, type Moment, Moments, reached } from "../../dashboard/parts/payment/timeline.tsx";
import type { Step } from "../../dashboard/parts/payment/steps.tsx";
import { SignedLine } from "../../dashboard/parts/signed.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { Story } from "./_story.ts";

interface TimelineProps {
  readonly visit: Visit;
  readonly story: Story;
  readonly steps: readonly Step[];
}

export const Timeline = ({ visit, story, steps }: TimelineProps) => (
  <Moments of={momentsOf(visit, story)} steps={steps} />
);

function momentsOf(visit: Visit, story: Story): Moment[] {
  const { row, bids, network, top, endedAtMs, audited } = story;
  const signed = bids.map((bid): Moment => ({
    atMs: bid.tx.createdAtMs,
    shown: (
      <SignedLine what={wordsFor(bid, bids)} depthId="depth" {...{ tx: bid.tx, network, top }} />
    ),
  }));
  return [
    ...reached("Requested, amount held", row.requestedAtMs),
    ...deedsOf(visit, { audited, words: DECISIONS }).toReversed(),
    ...signed,
    ...reached("Sent", row.broadcastAtMs),
    ...reached("Paid", row.confirmedAtMs),
    ...endedAtMs === null ? [] : [{ atMs: endedAtMs, shown: <Released story={story} /> }],
  ];
}

const DECISIONS: Readonly<Record<string, string>> = {
  "withdrawal.approved": "Approved",
  "withdrawal.reject": "Rejected",
  "withdrawal.resent": "Resent to every node",
};

/** Of the bids for one place, only one is ever mined. */
function wordsFor(bid: Paying, bids: readonly Paying[]): string {
  const what = bid.payment.purpose === "void" ? "Revocation signed" : "Payment signed";
  return isSuperseded(bid, bids) ? `${what}, superseded later,` : what;
}

function isSuperseded({ tx }: Paying, bids: readonly Paying[]): boolean {
  const rivals = bids.filter((one) => one.tx.place === tx.place && one.tx.id !== tx.id);
  if (tx.blockHash !== null) return false;
  return rivals.some((rival) => rival.tx.blockHash !== null || rival.tx.id > tx.id);
}

const Released = ({ story: { row, endedAtMs } }: { story: Story }) => (
  <li>
    <strong>{row.status === "failed" ? "Failed" : "Cancelled"}</strong>, hold released{" "}
    <Time atMs={endedAtMs} />{" "}
    {row.errorMessage !== null && <p class="quiet whole">{row.errorMessage}</p>}
  </li>
);
