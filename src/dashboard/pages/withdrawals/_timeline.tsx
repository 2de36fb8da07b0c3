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

export const Timeline = ({ row, bids, network, top }: TimelineProps) => (
  <ol class="timeline">
    <li>
      <strong>Requested</strong>, amount held <Time atMs={row.requestedAtMs} />
    </li>
    {bids.map((bid) => (
      <Signed
        what={bid.purpose === "void" ? "Revocation signed" : "Payment signed"}
        depthId="depth"
        bid={bid}
        network={network}
        top={top}
      />
    ))}
    <Reached what="Sent" atMs={row.broadcastAtMs} />
    <Reached what="Confirmed" atMs={row.confirmedAtMs} />
    <Released row={row} />
  </ol>
);

const Reached = ({ what, atMs }: { what: string; atMs: number | null }) =>
  atMs === null ? null : (
    <li>
      <strong>{what}</strong> <Time atMs={atMs} />
    </li>
  );

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
