import {
  enableWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from "../../../actions/webhooks/manage_webhooks.ts";
import { testWebhook, triggerSample } from "../../../actions/webhooks/send_test.ts";
import { EVENT_TYPES } from "../../../domain/events.ts";
import * as kind from "../../../domain/kinds.ts";
import { Card, Time } from "../../parts/facts.tsx";
import { Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Health, orderOf, ownWebhook, Secret } from "./_parts.tsx";
import { WEBHOOKS_UP } from "./_parts.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE } from "../../visit.ts";
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

const testAct = act({
  path: "/webhooks/:id{[0-9]+}/test",
  ability: "manage_webhooks",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    const tested = await testWebhook(visit.deps, orderOf(visit, row));
    return <Result visit={visit} tested={tested} what="a signed event of type ping" />;
  },
});

const sampleAct = act({
  path: "/webhooks/:id{[0-9]+}/sample",
  ability: "manage_webhooks",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    const type = visit.form.read((it) => it.required("type", kind.choice(EVENT_TYPES)));
    const tested = await triggerSample(visit.deps, { ...orderOf(visit, row), type });
    return <Result visit={visit} tested={tested} what={`a sample of ${type}`} />;
  },
});

const enableAct = act({
  path: "/webhooks/:id{[0-9]+}/enable",
  ability: "manage_webhooks",
  on: webhookPage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    await enableWebhook(visit.deps, orderOf(visit, row));
    return done(`/webhooks/${row.id}`, "Waiting events are being sent");
  },
});

const rotateAct = act({
  path: "/webhooks/:id{[0-9]+}/rotate",
  ability: "manage_webhooks",
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

const removeAct = act({
  path: "/webhooks/:id{[0-9]+}/remove",
  ability: "manage_webhooks",
  isUrgent: true,
  on: removePage,
  run: async (visit) => {
    const row = await ownWebhook(visit);
    await removeWebhook(visit.deps, orderOf(visit, row));
    return done("/webhooks", `Webhook ${row.id} removed`);
  },
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
