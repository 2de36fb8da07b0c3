import type { Tested } from "../send_test.ts";
import { EVENT_TYPES } from "../rules/events.ts";
import { lastAnswer } from "../reads/failing.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";
import { accountFact, Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { isPaused, Outcome } from "./_parts.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

export const WebhookFacts = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => {
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

export const WebhookActions = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => (
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

export const SampleForm = ({ visit, row }: { visit: Visit; row: WebhookEndpointRow }) => (
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

export const Result = ({ visit, tested, what }: { visit: Visit; tested: Tested; what: string }) => {
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

export function upTo({ id }: WebhookEndpointRow) {
  return { path: `/webhooks/${id}`, label: `Webhook ${id}` };
}
