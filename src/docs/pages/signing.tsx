import type { Child, Component } from "../../base/html.ts";
import { canonicalRequest } from "../../domain/canonical_request.ts";
import { EXAMPLES } from "../examples.ts";
import { Code, Tabs } from "../parts/code.tsx";
import { SIGNED_LINES } from "../../domain/signed_lines.ts";
import { BASE, type DocPage } from "../site.ts";

export const SIGNING_PAGE: DocPage = {
  path: `${BASE}/signing`,
  title: "Signing requests",
  group: "Start",
  show: () => show(),
};

const EXAMPLE = canonicalRequest({
  timestamp: "1769860800",
  method: "GET",
  target: "/v1/transactions?direction=deposit&limit=50",
  bodyHashHex: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
});

function show(): Child {
  return (
    <article class="prose">
      <h1>Signing requests</h1>
      <p>
        You need a key: the operator of the gateway gives you one, or you make it yourself in the
        dashboard, under Developers, API keys. Each request carries three headers:
      </p>
      <Headers />
      <Code title="The five lines of a GET" text={EXAMPLE} />
      <ol>
        {SIGNED_LINES.map(([name, text]) => (
          <li>
            <strong>{name}.</strong> {text}
          </li>
        ))}
      </ol>
      <p>
        The last line doesn't end with a line feed. <a href={`${BASE}/sign`}>Sign in the browser</a>
        {" "}
        to see each step, or to find out why a signature was refused.
      </p>
      <h2>In your language</h2>
      <p>
        For JavaScript and TypeScript, the <a href={`${BASE}/guides/api#sdk`}>SDK</a>{" "}
        does all of this.
      </p>
      <p>
        These programs sign requests, send them, and retry them safely. The{" "}
        <a href={`${BASE}/examples`}>examples</a> say how to run them.
      </p>
      <Tabs
        id="language"
        legend="Language"
        tabs={EXAMPLES.map(({ language, file, text }) => ({
          label: language,
          content: <Code title={file} text={text} />,
        }))}
      />
    </article>
  );
}

const Headers: Component<object> = () => (
  <dl class="facts">
    <div>
      <dt>
        <code>X-CPG-Key</code>
      </dt>
      <dd>
        The key's id, which begins with <code>cpg_</code>.
      </dd>
    </div>
    <div>
      <dt>
        <code>X-CPG-Timestamp</code>
      </dt>
      <dd>Unix time in seconds, within 300 seconds of the server's clock.</dd>
    </div>
    <div>
      <dt>
        <code>X-CPG-Signature</code>
      </dt>
      <dd>
        HMAC-SHA256 of five lines joined by line feeds, in lower-case hex. Use the secret exactly as
        it was shown to you, as text.
      </dd>
    </div>
  </dl>
);
