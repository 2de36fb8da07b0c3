import type { Child, Component } from "../../base/html.ts";
import { ENDPOINTS } from "../../http/endpoints.ts";
import { ASSET_PATHS } from "../assets/assets.ts";
import { exampleTarget } from "../example_request.ts";
import { Code } from "../parts/code.tsx";
import { SIGNED_LINES } from "../../domain/signed_lines.ts";
import { BASE, type DocPage } from "../site.ts";

export const SIGN_PAGE: DocPage = {
  path: `${BASE}/sign`,
  title: "Sign in the browser",
  group: "Start",
  script: ASSET_PATHS.sign,
  isWide: true,
  show: ({ url }) => show(url),
};

function show(url: string): Child {
  return (
    <article class="sign">
      <header class="prose">
        <h1>Sign in the browser</h1>
        <p>
          Everything stays on this page. It sends nothing, stores nothing, and works offline once it
          is loaded.
        </p>
        <noscript>
          <p class="message warn">
            This page needs JavaScript, because it signs in your browser. The rules are under{" "}
            <a href={`${BASE}/signing`}>Signing requests</a>.
          </p>
        </noscript>
        <p id="unsafe" class="message warn" hidden>
          Browsers can only sign on pages that were loaded over https or from localhost.
        </p>
      </header>
      <div id="sign" data-url={url} hidden>
        <div class="sign-columns">
          <Inputs />
          <Results />
        </div>
        <Comparison />
      </div>
    </article>
  );
}

const Inputs: Component<object> = () => (
  <section class="card" aria-labelledby="request">
    <h2 id="request">The request</h2>
    <div class="field">
      <label for="operation">Example</label>
      <select id="operation" autocomplete="off">
        {ENDPOINTS.map((endpoint) => (
          <option
            data-method={endpoint.method}
            data-target={exampleTarget(endpoint)}
            data-body={endpoint.example.body ? JSON.stringify(endpoint.example.body) : ""}
          >
            {endpoint.summary}
          </option>
        ))}
      </select>
    </div>
    <div class="field">
      <label for="method">Method</label>
      <select id="method" autocomplete="off">
        {["GET", "POST", "PATCH", "DELETE"].map((method) => <option>{method}</option>)}
      </select>
    </div>
    <Text id="target" label="Path and query" />
    <div class="field">
      <label for="body">Body</label>
      <textarea id="body" class="mono" rows="5" autocomplete="off" spellcheck="false"></textarea>
    </div>
    <Text id="key" label="Key id" placeholder="cpg_…" />
    <Text id="secret" label="Secret" type="password" hint="It never leaves this page." />
    <Text id="timestamp" label="Timestamp" placeholder="now" hint="Unix time in seconds." />
  </section>
);

interface TextProps {
  readonly id: string;
  readonly label: string;
  readonly type?: string;
  readonly placeholder?: string;
  readonly hint?: string;
}

const Text: Component<TextProps> = ({ id, label, type = "text", placeholder, hint }) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      type={type}
      class="mono"
      placeholder={placeholder}
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
      aria-describedby={hint && `${id}-hint`}
    />
    {hint && <span class="hint" id={`${id}-hint`}>{hint}</span>}
  </div>
);

const Results: Component<object> = () => (
  <section class="results" aria-labelledby="lines">
    <h2 id="lines">The five lines</h2>
    <ol class="lines">
      {SIGNED_LINES.map(([name, text], i) => (
        <li>
          <span class="quiet small">{name}</span>
          <code id={`line-${i}`}></code>
          <span class="quiet small">{text}</span>
        </li>
      ))}
    </ol>
    <h2>HMAC-SHA256 of these lines</h2>
    <p>
      <code id="signature"></code>
    </p>
    <Code id="headers" title="Headers" text="" />
    <Code id="curl" title="curl" text="" />
  </section>
);

const Comparison: Component<object> = () => (
  <section class="card" aria-labelledby="refused">
    <h2 id="refused">Why was it refused?</h2>
    <div class="field">
      <label for="pasted">
        Headers of the refused request, and the five lines if you have them
      </label>
      <textarea
        id="pasted"
        class="mono"
        rows="6"
        autocomplete="off"
        spellcheck="false"
        aria-describedby="pasted-hint"
      >
      </textarea>
      <span class="hint" id="pasted-hint">
        Paste them from a log or a curl command, and fill in above what was really sent: path, body
        and secret.
      </span>
    </div>
    <p id="verdict" role="status"></p>
    <div id="findings" class="scroll" tabindex="0" role="region" aria-label="Comparison" hidden>
      <table>
        <thead>
          <tr>
            <th></th>
            <th>Refused request</th>
            <th>Expected</th>
            <th></th>
          </tr>
        </thead>
        <tbody id="rows"></tbody>
      </table>
    </div>
  </section>
);
