import type { Child } from "../../base/html.ts";
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
  `A webhook sends them to your server as a POST with a JSON body. They arrive at least once and in any order, so remember the header \`webhook-id\`, and go by \`status\`. Answer 2xx within ten seconds; anything else is retried.`;

function show(events: readonly EventDescription[]): Child {
  return (
    <article class="prose">
      <h1>Events</h1>
      <Prose text={ABOUT} />
      <p>
        How to verify their signature is in the{" "}
        <a href={`${BASE}/guides/webhooks`}>guide</a>, and in six languages among the{" "}
        <a href={`${BASE}/examples`}>examples</a>.
      </p>
      {events.map(({ type, summary, schema, named }) => {
        const data = resolved(resolved(schema, named).properties!.data!, named);
        return (
          <section id={type}>
            <h2>
              <code>{type}</code>
            </h2>
            <p>{summary}.</p>
            <details>
              <summary>Fields of data</summary>
              <Fields fields={data.properties ?? {}} required={data.required} named={named} />
            </details>
          </section>
        );
      })}
    </article>
  );
}
