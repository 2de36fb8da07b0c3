import type { Component } from "../../base/html.ts";
import type { Refunded } from "../rules/sums.ts";
import { Status } from "../../dashboard/parts/facts.tsx";

interface StatusProps {
  readonly status: string;
  readonly isBegun: boolean;
  readonly refunded: Refunded | undefined;
}

/** What was paid and given back isn't called paid any more, nor open what has come in part. */
export const InvoiceStatus: Component<StatusProps> = ({ status, isBegun, refunded }) => (
  <>
    {(refunded === undefined || status !== "paid") && (
      <Status value={status === "open" && isBegun ? "partly paid" : status} />
    )} {refunded !== undefined && <Status value={refunded} />}
  </>
);
