import { findStop, resumeSigning, stopSigning } from "../../actions/integrity/manage_stop.ts";
import * as kind from "../../domain/kinds.ts";
import type { StopRow } from "../../store/tables/stops.ts";
import { Card, Facts, Time } from "../parts/facts.tsx";
import { Field, Form, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { STOP_QUESTION } from "../parts/frame/standing.tsx";
import { act, done, page } from "../routes.ts";
import type { Visit } from "../visit.ts";

const REASON = kind.text({ max: 500 });

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
      <Field
        visit={visit}
        name="reason"
        label="Reason"
        maxlength={500}
        hint="For other operators; merchants don't see it"
      />
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
const stopAct = act({
  path: "/stop",
  ability: "stop",
  on: stopPage,
  run: async ({ deps, form, actor }) => {
    const { reason } = form.read((fields) => ({ reason: fields.optional("reason", REASON) }));
    await stopSigning(deps, { reason: reason ?? null, actor });
    return done("/stop", "All payouts are stopped");
  },
});

const resumeAct = act({
  path: "/resume",
  ability: "operate",
  on: stopPage,
  isSensitive: true,
  run: async ({ deps, actor }) => {
    await resumeSigning(deps, { actor });
    return done("/stop", "Payouts have resumed");
  },
});

export const STOP_ROUTES = [stopPage, stopAct, resumeAct];
