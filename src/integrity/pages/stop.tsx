import { findStop } from "../manage_stop.ts";
import { RESUME, STOP } from "../operations/stop.ts";
import type { StopRow } from "../table.ts";
import { Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Field, FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { STOP_QUESTION } from "../../dashboard/parts/frame/standing.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";

const stopPage = page({
  path: "/stop",
  ability: "see_gateway",
  show: async (visit) => {
    const stop = await findStop(visit.deps.db);
    return (
      <Page visit={visit} title="Emergency stop">
        {stop ? <Stopped visit={visit} stop={stop} /> : <Running visit={visit} />}
      </Page>
    );
  },
});

const Running = ({ visit }: { visit: Visit }) => (
  <Card>
    <p>
      Within one second, signing stops on all networks: no payouts, sweeps, gas top-ups or
      replacements. New payouts are refused, and unsigned ones wait. Transactions that are already
      signed may still be mined. Deposits are credited as usual.
    </p>
    <Form visit={visit} action="/stop">
      <FlagFields visit={visit} operation={STOP} names={["reason"]} />
      <Submit tone="stop" confirm={STOP_QUESTION}>Stop all payouts</Submit>
    </Form>
  </Card>
);

const Stopped = ({ visit, stop }: { visit: Visit; stop: StopRow }) => (
  <Card title="Signing is stopped">
    <Facts
      rows={[["Since", <Time atMs={stop.stoppedAtMs} />], ["Reason", stop.reason ?? "Not given"]]}
    />
    {stop.reason === null && (
      <Form visit={visit} action="/stop" isInline>
        <Field visit={visit} name="reason" label="Reason" maxlength={500} isRequired />
        <Submit tone="plain">Save</Submit>
      </Form>
    )}
    <Form visit={visit} action="/resume">
      <Submit confirm="Waiting payouts will be paid, and sweeps continue.">Resume</Submit>
    </Form>
  </Card>
);

/** Needs no recent proof: stopping is safe, and seconds count. */
const stopAct = formOf(STOP, {
  path: "/stop",
  on: stopPage,
  fields: { names: ["reason"] },
  to: "/stop",
  said: () => "All payouts are stopped",
});

const resumeAct = formOf(RESUME, {
  path: "/resume",
  on: stopPage,
  isSensitive: true,
  to: "/stop",
  said: () => "Payouts have resumed",
});

export const STOP_ROUTES = [stopPage, stopAct, resumeAct];
