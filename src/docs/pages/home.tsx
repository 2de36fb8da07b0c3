import type { Child, Component } from "../../base/html.ts";
import { ENDPOINTS } from "../../http/endpoints.ts";
import { Words } from "../parts/prose.tsx";
import { BASE, type DocPage, operationPath, type Site } from "../site.ts";

export const HOME: DocPage = {
  path: BASE,
  title: "Overview",
  group: "Start",
  show: (site) => show(site),
};

function show(site: Site): Child {
  return (
    <>
      <div class="hero">
        <h1>Take and make payments in crypto</h1>
        <p>
          CPG gives each of your orders an address or a whole page to pay on, credits what is paid,
          notifies your server, and makes payouts. The API speaks JSON, and every request is signed.
        </p>
        <p class="actions">
          <a class="button" href={`${BASE}/signing`}>Send the first request</a>
          <a class="button plain" href={`${BASE}/guides/shop`}>Build a shop in an hour</a>
          <a class="button plain" href="/openapi.json">OpenAPI document</a>
        </p>
      </div>
      <Steps />
      <Operations />
      <Conventions site={site} />
    </>
  );
}

const STEPS = [
  {
    title: "Sign a request",
    text:
      "Three headers, one HMAC. Examples in six languages, an SDK, and a page that signs while you watch.",
    path: `${BASE}/signing`,
  },
  {
    title: "Get paid",
    text:
      "Create an invoice for each order, send the customer to its page, and wait for the webhook. Or show an address yourself.",
    path: `${BASE}/reference/create-invoice`,
  },
  {
    title: "Receive webhooks",
    text: "Verify the signature, remember the id, and respond with 200.",
    path: `${BASE}/events`,
  },
  {
    title: "Pay out",
    text: "Send the recipient, the amount and a reference. Repeating the request never pays twice.",
    path: `${BASE}/reference/create-withdrawal`,
  },
];

const Steps: Component<object> = () => (
  <ol class="first-steps">
    {STEPS.map(({ title, text, path }) => (
      <li>
        <h2>
          <a href={path}>{title}</a>
        </h2>
        <p class="quiet">{text}</p>
      </li>
    ))}
  </ol>
);

const Operations: Component<object> = () => (
  <section class="operations" aria-labelledby="operations">
    <h2 id="operations">All operations</h2>
    {[...Map.groupBy(ENDPOINTS, ({ tag }) =>
      tag)].map(([tag, endpoints]) => (
        <section class="card">
          <h3>{tag}</h3>
          <ul class="rows">
            {endpoints.map((endpoint) => (
              <li>
                <a href={operationPath(endpoint)}>{endpoint.summary}</a>
                <code>
                  <span class={`method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</span>
                  {endpoint.path}
                </code>
              </li>
            ))}
          </ul>
        </section>
      ))}
  </section>
);

const CONVENTIONS = [
  ["Amounts", 'Decimal strings such as `"12.5"`, never floats.'],
  ["Times", "ISO 8601 in UTC, such as `2026-01-31T12:00:00+00:00`."],
  [
    "Codes",
    "A currency may exist on several networks, so always send both. Codes aren't case-sensitive.",
  ],
  ["Success", '`{"success": true, "message": …, "data": …}`. Lists also have `data_count`.'],
  ["Error", '`{"success": false, "message": …, "error": {"code", "request_id"}}`'],
] as const;

const Conventions: Component<{ site: Site }> = ({ site }) => (
  <section class="prose" aria-labelledby="conventions">
    <h2 id="conventions">Conventions</h2>
    <dl class="facts">
      <div>
        <dt>Base URL</dt>
        <dd>
          <code>{site.url}</code>
        </dd>
      </div>
      {CONVENTIONS.map(([name, text]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <Words text={text} />
          </dd>
        </div>
      ))}
    </dl>
    <p>
      <a href={`${BASE}/errors`}>All errors, and what to do about them</a>
    </p>
  </section>
);
