import type { Component } from "../../../base/html.ts";
import type { Standing } from "../../standing.ts";
import { StoredToday } from "../stored.tsx";
import { BASE, type Visit } from "../../visit.ts";
import { Time } from "../facts.tsx";
import { Form, Submit } from "../form.tsx";
import { Icon } from "./icons.tsx";

/** At the top of every page. Merchants don't see why everything is stopped. */
export const StandingBanners: Component<{ visit: Visit }> = ({ visit }) => {
  const { stop, suspended, stored, mustSetUp } = visit.facts.standing;
  return (
    <>
      {mustSetUp && (
        <p class="message warn" role="status">
          A second factor is required. Set it up to continue.
        </p>
      )}
      {stop && !visit.seesAll && (
        <p class="message warn" role="status">
          Payouts are paused
        </p>
      )}
      {stop && visit.seesAll && <StopBanner visit={visit} stop={stop} />}
      {suspended && (
        <p class="message fault" role="status">
          This account is suspended:{" "}
          {suspended.suspendedReason}. You can view everything, but you can't make changes.
        </p>
      )}
      {stored && <StoredBanner stored={stored} />}
    </>
  );
};

const FULL = "New invoices, addresses, links and settings are refused until then. Payments are " +
  "credited, and payouts have a share of their own. ";

const StoredBanner: Component<{ stored: NonNullable<Standing["stored"]> }> = ({ stored }) => {
  const { bytes, bytesMax } = stored;
  return (
    <p class={`message ${bytes < bytesMax ? "warn" : "fault"}`} role="status">
      Stored today: <StoredToday stored={stored} />. {bytes >= bytesMax && FULL}
      An operator can allow more.
    </p>
  );
};

const StopBanner: Component<{ visit: Visit; stop: NonNullable<Standing["stop"]> }> = (
  { visit, stop },
) => (
  <p class="message fault" role="status">
    All signing has been stopped since <Time atMs={stop.stoppedAtMs} />
    {stop.reason !== null && `: ${stop.reason}`}.{" "}
    <a href={`${BASE}/stop`}>{visit.isOperator ? "Resume" : "Details"}</a>
  </p>
);

export const STOP_QUESTION =
  "No payouts, sweeps or gas top-ups are signed until an operator resumes. Deposits continue.";

/** Seconds count: in a menu of every page of whoever may stop, and asked once. */
export const StopButton: Component<{ visit: Visit }> = ({ visit }) => {
  if (!visit.may("POST", "/stop") || visit.facts.standing.stop) return null;
  return (
    <Form visit={visit} action="/stop">
      <Submit tone="stop" confirm={STOP_QUESTION}>
        <Icon name="stop" />Stop all payouts
      </Submit>
    </Form>
  );
};
