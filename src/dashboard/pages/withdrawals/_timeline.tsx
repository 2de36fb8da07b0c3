import type { Child } from "../../../base/html.ts";
import type { NetworkRow } from "../../../store/tables/setup.ts";
import type { SignedTransferRow } from "../../../store/tables/signed_transfers.ts";
import type { WithdrawalRow } from "../../../store/tables/withdrawals.ts";
import { Time } from "../../parts/facts.tsx";
import { Signed } from "../../parts/signed.tsx";

interface TimelineProps {
  readonly row: WithdrawalRow;
  readonly bids: readonly SignedTransferRow[];
  readonly network: NetworkRow | undefined;
  readonly top: number;
}

interface Step {
  readonly atMs: number;
  readonly shown: Child;
}

/** In the order in which it happened. */
export const Timeline = (props: TimelineProps) => (
  <ol class="timeline">
    {stepsOf(props).toSorted((a, b) => a.atMs - b.atMs).map(({ shown }) => shown)}
    <Released row={props.row} />
  </ol>
);

function stepsOf({ row, bids, network, top }: TimelineProps): Step[] {
  const signed = bids.map((bid): Step => ({
    atMs: bid.createdAtMs,
    shown: <Signed what={wordsFor(bid, bids)} depthId="depth" {...{ bid, network, top }} />,
  }));
  return [
    ...reached("Requested, amount held", row.requestedAtMs),
    ...signed,
    ...reached("Sent", row.broadcastAtMs),
    ...reached("Confirmed", row.confirmedAtMs),
  ];
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

function reached(what: string, atMs: number | null): Step[] {
  if (atMs === null) return [];
  const shown = (
    <li>
      <strong>{what}</strong> <Time atMs={atMs} />
    </li>
  );
  return [{ atMs, shown }];
}

const Released = ({ row }: { row: WithdrawalRow }) => {
  if (row.status !== "failed" && row.status !== "cancelled") return null;
  return (
    <li>
      <strong>{row.status === "failed" ? "Failed" : "Cancelled"}</strong>, hold released
      {row.failureReason !== null && ` (${row.failureReason.replaceAll("_", " ")})`}
      {row.errorMessage !== null && <p class="quiet">{row.errorMessage}</p>}
    </li>
  );
};
