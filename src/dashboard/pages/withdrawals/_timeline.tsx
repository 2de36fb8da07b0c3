import type { Child } from "../../../base/html.ts";
import type { AuditRow } from "../../../store/tables/audit.ts";
import type { SignedTransferRow } from "../../../store/tables/signed_transfers.ts";
import { Time } from "../../parts/facts.tsx";
import { Person } from "../../parts/payment/person.tsx";
import { Signed } from "../../parts/signed.tsx";
import type { Visit } from "../../visit.ts";
import type { Story } from "./_story.ts";

interface Moment {
  readonly atMs: number;
  readonly shown: Child;
}

/** In the order in which it happened. */
export const Timeline = ({ visit, story }: { visit: Visit; story: Story }) => (
  <ol class="timeline">
    {momentsOf(visit, story).toSorted((a, b) => a.atMs - b.atMs).map(({ shown }) => shown)}
  </ol>
);

function momentsOf(visit: Visit, story: Story): Moment[] {
  const { row, bids, network, top, endedAtMs, audited } = story;
  const signed = bids.map((bid): Moment => ({
    atMs: bid.createdAtMs,
    shown: <Signed what={wordsFor(bid, bids)} depthId="depth" {...{ bid, network, top }} />,
  }));
  const decided = audited.filter(({ action }) => action in DECISIONS).map((entry): Moment => ({
    atMs: entry.atMs,
    shown: <Decided visit={visit} entry={entry} />,
  }));
  return [
    ...reached("Requested, amount held", row.requestedAtMs),
    ...decided.toReversed(),
    ...signed,
    ...reached("Sent", row.broadcastAtMs),
    ...reached("Confirmed", row.confirmedAtMs),
    ...endedAtMs === null ? [] : [{ atMs: endedAtMs, shown: <Released story={story} /> }],
  ];
}

const DECISIONS: Readonly<Record<string, string>> = {
  "withdrawal.approved": "Approved",
  "withdrawal.reject": "Rejected",
  "withdrawal.resent": "Resent to every node",
};

const Decided = ({ visit, entry }: { visit: Visit; entry: AuditRow }) => {
  const reason = reasonIn(entry.detail);
  return (
    <li>
      <strong>{DECISIONS[entry.action]}</strong> by <Person visit={visit} actor={entry.actor} />
      {" "}
      <Time atMs={entry.atMs} />
      {reason && (
        <p class="quiet whole">
          <bdi>{reason}</bdi>
        </p>
      )}
    </li>
  );
};

function reasonIn(detail: unknown): string | undefined {
  const isNamed = typeof detail === "object" && detail !== null && "reason" in detail;
  return isNamed && typeof detail.reason === "string" ? detail.reason : undefined;
}

/** Of the bids for one nonce, only one is ever mined. */
function wordsFor(bid: SignedTransferRow, bids: readonly SignedTransferRow[]): string {
  const what = bid.purpose === "void" ? "Revocation signed" : "Payment signed";
  return isSuperseded(bid, bids) ? `${what}, superseded later,` : what;
}

function isSuperseded(bid: SignedTransferRow, bids: readonly SignedTransferRow[]): boolean {
  const rivals = bids.filter(({ nonce, id }) => nonce === bid.nonce && id !== bid.id);
  if (bid.blockHash !== null) return false;
  return rivals.some(({ id, blockHash }) => blockHash !== null || id > bid.id);
}

function reached(what: string, atMs: number | null): Moment[] {
  if (atMs === null) return [];
  const shown = (
    <li>
      <strong>{what}</strong> <Time atMs={atMs} />
    </li>
  );
  return [{ atMs, shown }];
}

const Released = ({ story: { row, endedAtMs } }: { story: Story }) => (
  <li>
    <strong>{row.status === "failed" ? "Failed" : "Cancelled"}</strong>, hold released{" "}
    <Time atMs={endedAtMs} />
    {row.errorMessage !== null && <p class="quiet whole">{row.errorMessage}</p>}
  </li>
);
