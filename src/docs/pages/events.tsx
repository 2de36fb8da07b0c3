import type { Child } from "../../base/html.ts";
import { Json } from "../parts/code.tsx";
import { Fields } from "../parts/fields.tsx";
import { Prose } from "../parts/prose.tsx";
import { type EventDescription, eventsOf } from "../reference.ts";
import { resolved } from "../json_schema.ts";
import { BASE, type DocPage } from "../site.ts";

export const EVENTS_PAGE: DocPage = {
  path: `${BASE}/events`,
  title: "Events",
  group: "Reference",
  show: () => show(eventsOf()),
};

const ABOUT =
  `A webhook sends events to your server: a POST with a JSON body. Each event arrives at least once, and in any order, so remember its \`webhook-id\` header, and rely on \`status\`. Respond with 2xx within ten seconds; anything else is retried.

Besides these events, a webhook gets a \`ping\` when somebody tests it (\`POST /v1/webhooks/{webhook_id}/test\`), and samples when somebody tries it out. Both are signed like an event, and neither is retried. Respond with 2xx and ignore them: a sample has \`"sample": true\` beside \`type\`, and reports no real money.`;

const PING = {
  id: "evt_…",
  type: "ping",
  timestamp: "2026-01-31T12:00:00+00:00",
  data: { webhook_id: 1 },
};

function show(events: readonly EventDescription[]): Child {
  return (
    <article class="prose">
      <h1>Events</h1>
      <Prose text={ABOUT} />
      <p>
        The <a href={`${BASE}/guides/webhooks`}>guide</a> and the{" "}
        <a href={`${BASE}/examples`}>examples</a> in six languages show how to verify its signature.
      </p>
      <Json value={PING} title="A ping" />
      {events.map(({ type, summary, example, schema, named }) => {
        const data = resolved(resolved(schema, named).properties!.data!, named);
        return (
          <section id={type}>
            <h2>
              <code>{type}</code>
            </h2>
            <p>{summary}.</p>
            <Json value={example} title="An example of its body" />
            <details>
              <summary>
                Fields of <code>data</code>
              </summary>
              <Fields fields={data.properties ?? {}} required={data.required} named={named} />
            </details>
          </section>
        );
      })}
    </article>
  );
}
