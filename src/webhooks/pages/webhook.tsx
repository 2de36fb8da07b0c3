import { rotateWebhookSecret } from "../manage_webhooks.ts";
import { testWebhook, triggerSample } from "../send_test.ts";
import {
  ENABLE_WEBHOOK,
  REMOVE_WEBHOOK,
  ROTATE_WEBHOOK,
  TEST_WEBHOOK,
  TRIGGER_WEBHOOK,
} from "../operations/webhook.ts";
import { Card, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Health, orderOf, ownWebhook, Secret } from "./_parts.tsx";
import { WEBHOOKS_UP } from "./_parts.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";
import { Result, SampleForm, upTo, WebhookActions, WebhookFacts } from "./_webhook_facts.tsx";

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
