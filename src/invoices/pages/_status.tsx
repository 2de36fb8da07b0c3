import type { Component } from "../../base/html.ts";
import type { Refunded } from "../rules/sums.ts";
import { Status } from "../../dashboard/parts/facts.tsx";

interface StatusProps {
  readonly status: string;
  readonly refunded: Refunded | undefined;
}

/** What was paid and given back isn't called paid any more. */
export const InvoiceStatus: Component<StatusProps> = ({ status, refunded }) => (
  <>
    {(refunded === undefined || status !== "paid") && <Status value={status} />}{" "}
    {refunded !== undefined && <Status value={refunded} />}
  </>
);
