import { formOf } from "../../dashboard/asking.ts";
import { accountFact, Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { rotateWebhookSecret } from "../manage_webhooks.ts";
import {
  ENABLE_WEBHOOK,
  REMOVE_WEBHOOK,
  ROTATE_WEBHOOK,
  TEST_WEBHOOK,
  TRIGGER_WEBHOOK,
} from "../operations/webhook.ts";
import { Health, isPaused, orderOf, Outcome, ownWebhook, Secret, WEBHOOKS_UP } from "./_parts.tsx";
import { lastAnswer } from "../reads/failing.ts";
import { EVENT_TYPES } from "../rules/events.ts";
import { type Tested, testWebhook, triggerSample } from "../send_test.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";

const WebhookFacts = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => {
  const isOldLive = row.oldSecretUntilMs !== null && row.oldSecretUntilMs > visit.nowMs;
  const since = (name: string, atMs: number | null) => [name, <Time atMs={atMs} />] as const;
  return (
    <>
      <Hindrances visit={visit} row={row} />
      <Failing visit={visit} row={row} />
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

/** Since when it fails, with the last answer. */
const Failing = async ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => {
  if (row.failures === 0) return null;
  const answer = await lastAnswer(visit.deps.db, row);
  const times = row.failures === 1 ? "once" : `${row.failures} times in a row`;
  return (
    <div class="message fault">
      <p>
        {`Failed ${times}`}
        {row.failingSinceMs !== null && (
          <>
            {" since "}
            <Time atMs={row.failingSinceMs} />
          </>
        )}
        {answer && (
          <>
            {`. Last answer: ${answer.error}, `}
            <Time atMs={answer.atMs} />
          </>
        )}.
      </p>
      {answer?.response && <pre>{answer.response}</pre>}
      {row.failedEventId !== null && (
        <p>
          <a href={`${BASE}/webhooks/${row.id}/deliveries/${row.failedEventId}`}>
            See the event and send it again
          </a>
        </p>
      )}
    </div>
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

const webhookPage = page({
  path: "/webhooks/:id{[0-9]+}",
  ability: "see",
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
        <Card title="Endpoint" actions={<Health row={row} />}>
          <WebhookFacts visit={visit} row={row} />
        </Card>
        {visit.isAble("manage_webhooks") && (
          <>
            <Card title="Actions">
              <WebhookActions visit={visit} row={row} />
            </Card>
            <Card title="Sample event">
              <SampleForm visit={visit} row={row} />
            </Card>
          </>
        )}
      </Page>
    );
  },
});

const testAct = formOf(TEST_WEBHOOK, {
  path: "/webhooks/:id{[0-9]+}/test",
  on: webhookPage,
  run: async (visit) => {
    const tested = await testWebhook(visit.deps, orderOf(visit, { id: visit.id() }));
    return <Result visit={visit} tested={tested} what="a signed event of type ping" />;
  },
});

const sampleAct = formOf(TRIGGER_WEBHOOK, {
  path: "/webhooks/:id{[0-9]+}/sample",
  on: webhookPage,
  fields: { names: ["type"] },
  run: async (visit, { flags: { type } }) => {
    const tested = await triggerSample(visit.deps, { ...orderOf(visit, { id: visit.id() }), type });
    return <Result visit={visit} tested={tested} what={`a sample of ${type}`} />;
  },
});

const enableAct = formOf(ENABLE_WEBHOOK, {
  path: "/webhooks/:id{[0-9]+}/enable",
  on: webhookPage,
  to: "/webhooks/:id",
  said: () => "Waiting events are being sent",
});

const rotateAct = formOf(ROTATE_WEBHOOK, {
  path: "/webhooks/:id{[0-9]+}/rotate",
  on: webhookPage,
  isSensitive: true,
  run: async (visit) => {
    const { row, secret } = await rotateWebhookSecret(
      visit.deps,
      orderOf(visit, { id: visit.id() }),
    );
    return (
      <Page visit={visit} title="New secret" up={upTo(row)}>
        <Card>
          <Secret secret={secret} />
          <p>
            The old secret keeps signing alongside it until <Time atMs={row.oldSecretUntilMs} />.
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
  ability: "manage_webhooks",
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

const removeAct = formOf(REMOVE_WEBHOOK, {
  path: "/webhooks/:id{[0-9]+}/remove",
  on: removePage,
  to: "/webhooks",
  said: ({ webhook_id }) => `Webhook ${webhook_id} removed`,
});

export const WEBHOOK_ROUTES = [
  webhookPage,
  testAct,
  sampleAct,
  enableAct,
  rotateAct,
  removePage,
  removeAct,
];

function upTo({ id }: WebhookEndpointRow) {
  return { path: `/webhooks/${id}`, label: `Webhook ${id}` };
}
