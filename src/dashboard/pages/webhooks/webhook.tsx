import {
  enableWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from "../../../actions/webhooks/manage_webhooks.ts";
import { type Tested, testWebhook, triggerSample } from "../../../actions/webhooks/test.ts";
import { EVENT_TYPES } from "../../../domain/events.ts";
import * as kind from "../../../domain/kinds.ts";
import type { WebhookEndpointRow } from "../../../store/tables/webhooks.ts";
import { accountFact, Card, Facts, Time } from "../../parts/facts.tsx";
import { Form, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Health, isPaused, orderOf, Outcome, ownWebhook, Secret } from "./_parts.tsx";
import { WEBHOOKS_UP } from "./_parts.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";

const webhookPage = page({
  path: "/webhooks/:id{[0-9]+}",
  show: async (visit) => {
    const row = await ownWebhook(visit);
    return (
      <Page
        visit={visit}
        title={`Webhook ${row.id}`}
        up={WEBHOOKS_UP}
        actions={
          <a class="button plain" href={`${BASE}/webhooks/deliveries?webhook=${row.id}`}>
            Deliveries
          </a>
        }
      >
        <Card title="Endpoint" actions={<Health row={row} nowMs={visit.nowMs} />}>
          <WebhookFacts visit={visit} row={row} />
        </Card>
        <Card title="Actions">
          <WebhookActions visit={visit} row={row} />
        </Card>
        <Card title="Sample event">
          <SampleForm visit={visit} row={row} />
        </Card>
      </Page>
    );
  },
});

const WebhookFacts = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => {
  const isOldLive = row.oldSecretUntilMs !== null && row.oldSecretUntilMs > visit.nowMs;
  const since = (name: string, atMs: number | null) => [name, <Time atMs={atMs} />] as const;
  return (
    <>
      <Hindrances visit={visit} row={row} />
      <Facts
        rows={[
          ...accountFact(visit, row),
          ["URL", row.url],
          ["Events", row.eventTypes?.join(", ") ?? "all"],
          ["Failures since the last success", row.failures],
          ...isPaused(row, visit.nowMs) ? [since("Paused until", row.pausedUntilMs)] : [],
          ...isOldLive ? [since("Old secret also signs until", row.oldSecretUntilMs)] : [],
          since("Added", row.createdAtMs),
        ]}
      />
    </>
  );
};

/** Why nothing is sent. */
const Hindrances = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => {
  const refusal = visit.deps.webhooks.refusalOf(row.url);
  return (
    <>
      {refusal !== undefined && (
        <p class="message fault">{`Nothing will be sent to this URL: ${refusal}`}</p>
      )}
      {row.disabledAtMs !== null && (
        <p class="message fault">
          {`Sending has stopped: ${row.disabledReason ?? "it was disabled"}. `}
          Events are kept until it is enabled again.
        </p>
      )}
    </>
  );
};

const WebhookActions = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => (
  <div class="actions">
    <Form visit={visit} action={`/webhooks/${row.id}/test`} isInline>
      <Submit>Send a test event</Submit>
    </Form>
    {(row.disabledAtMs !== null || isPaused(row, visit.nowMs)) && (
      <Form visit={visit} action={`/webhooks/${row.id}/enable`} isInline>
        <Submit tone="plain">Resume sending</Submit>
      </Form>
    )}
    <Form visit={visit} action={`/webhooks/${row.id}/rotate`} isInline>
      <Submit
        tone="plain"
        confirm="A new secret signs from now on. The old one keeps signing alongside it for 24 hours."
      >
        New secret
      </Submit>
    </Form>
    <a href={`${BASE}/webhooks/${row.id}/remove`}>Remove</a>
  </div>
);

const TYPES = EVENT_TYPES.map((value) => ({ value, label: value }));

const SampleForm = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => (
  <Form visit={visit} action={`/webhooks/${row.id}/sample`}>
    <Select
      visit={visit}
      name="type"
      label="Type"
      options={TYPES}
      hint='It has "sample": true and its ids are 0, because it reports nothing that happened.'
    />
    <Submit tone="plain">Send a sample</Submit>
  </Form>
);

const testAct = act({
  path: "/webhooks/:id{[0-9]+}/test",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    const tested = await testWebhook(visit.deps, orderOf(visit, row));
    return <Result visit={visit} tested={tested} what="a signed event of type ping" />;
  },
});

const sampleAct = act({
  path: "/webhooks/:id{[0-9]+}/sample",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    const type = visit.form.read((it) => it.required("type", kind.choice(EVENT_TYPES)));
    const tested = await triggerSample(visit.deps, { ...orderOf(visit, row), type });
    return <Result visit={visit} tested={tested} what={`a sample of ${type}`} />;
  },
});

const Result = ({ visit, tested, what }: { visit: Visit; tested: Tested; what: string }) => {
  const { row, eventId, attempt } = tested;
  return (
    <Page visit={visit} title="Test result" up={upTo(row)}>
      <Card>
        <Outcome attempt={attempt} />
        <Facts
          rows={[
            ["Sent to", row.url],
            ["Event", <code>{eventId}</code>],
            ["Took", `${attempt.latencyMs} ms`],
          ]}
        />
        <p class="quiet">{`This was ${what}. It won't be retried.`}</p>
      </Card>
    </Page>
  );
};

const enableAct = act({
  path: "/webhooks/:id{[0-9]+}/enable",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    await enableWebhook(visit.deps, orderOf(visit, row));
    return done(`/webhooks/${row.id}`, "Waiting events are being sent");
  },
});

const rotateAct = act({
  path: "/webhooks/:id{[0-9]+}/rotate",
  on: webhookPage,
  isSensitive: true,
  run: async (visit) => {
    const found = await ownWebhook(visit);
    const { row, secret } = await rotateWebhookSecret(visit.deps, orderOf(visit, found));
    return (
      <Page visit={visit} title="New secret" up={upTo(row)}>
        <Card>
          <Secret secret={secret} />
          <p>
            The old secret keeps signing alongside it until <Time atMs={row.oldSecretUntilMs} />
            {" "}
            (UTC).
          </p>
          <p>
            <a class="button" href={`${BASE}/webhooks/${row.id}`}>I have saved it</a>
          </p>
        </Card>
      </Page>
    );
  },
});

const removePage = page({
  path: "/webhooks/:id{[0-9]+}/remove",
  show: async (visit) => {
    const row = await ownWebhook(visit);
    return (
      <Page visit={visit} title={`Remove webhook ${row.id}?`} up={upTo(row)}>
        <Card>
          <p class="whole">{row.url}</p>
          <p>
            Nothing more will be sent to this URL, and waiting events are dropped. If you add the
            webhook again, it gets a new secret and only events from then on.
          </p>
          <Form visit={visit} action={`/webhooks/${row.id}/remove`}>
            <Submit tone="danger">Remove webhook</Submit>
          </Form>
          <p>
            <a href={`${BASE}/webhooks/${row.id}`}>Keep webhook</a>
          </p>
        </Card>
      </Page>
    );
  },
});

const removeAct = act({
  path: "/webhooks/:id{[0-9]+}/remove",
  on: removePage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    await removeWebhook(visit.deps, orderOf(visit, row));
    return done("/webhooks", `Webhook ${row.id} removed`);
  },
});

function upTo({ id }: WebhookEndpointRow) {
  return { path: `/webhooks/${id}`, label: `Webhook ${id}` };
}

export const WEBHOOK_ROUTES = [
  webhookPage,
  testAct,
  sampleAct,
  enableAct,
  rotateAct,
  removePage,
  removeAct,
];
