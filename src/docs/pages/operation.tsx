import type { Child, Component } from "../../base/html.ts";
import { installSdk } from "../../domain/sdk_file.ts";
import { type Endpoint, permissionsOf } from "../../http/endpoint.ts";
import { nameOf, resolved, type Schema, shapeOf } from "../json_schema.ts";
import { literal, STYLES } from "../literal.ts";
import { Code, Json, Tabs } from "../parts/code.tsx";
import { Field, Fields } from "../parts/fields.tsx";
import { Prose } from "../parts/prose.tsx";
import { RefusalTable } from "../parts/refusals.tsx";
import type { Operation, Parameter } from "../reference.ts";
import { snippetsOf } from "../snippets.ts";
import { BASE, type DocPage, operationPath } from "../site.ts";

export function operationPage(operation: Operation): DocPage {
  const { endpoint } = operation;
  return {
    path: operationPath(endpoint),
    title: endpoint.summary,
    group: endpoint.tag,
    method: endpoint.method,
    isWide: true,
    show: () => show(operation),
  };
}

function show(operation: Operation): Child {
  const { method, path, summary, description, tag } = operation.endpoint;
  return (
    <article class="operation">
      <header class="title">
        <p class="up quiet">{tag}</p>
        <h1>{summary}</h1>
        <p class="target">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </p>
      </header>
      <div class="said">
        <div class="prose">
          <Prose text={description} />
          <p class="quiet">
            Permission: {permissionsOf(operation.endpoint).map((one, i) => (
              <>
                {i > 0 && ", "}
                <code>{one}</code>
              </>
            ))}
          </p>
        </div>
        <Request operation={operation} />
        <Answer operation={operation} />
        <Refusals operation={operation} />
      </div>
      <aside class="shown" aria-label="Examples">
        <RequestExample operation={operation} />
        <p class="quiet small">
          The examples read <code>CPG_URL</code>, <code>CPG_KEY_ID</code> and{" "}
          <code>CPG_SECRET</code> from the environment.
        </p>
        <Json value={operation.answerExample} title="Response" />
      </aside>
    </article>
  );
}

const Request: Component<{ operation: Operation }> = ({ operation }) => {
  const { parameters, body, named } = operation;
  const inPath = parameters.filter((one) => one.in === "path");
  const inQuery = parameters.filter((one) => one.in === "query");
  if (!body && parameters.length === 0) return null;
  return (
    <>
      {inPath.length > 0 && (
        <Parameters
          title="Path parameters"
          of={inPath}
          operation={operation}
        />
      )}
      {inQuery.length > 0 && (
        <Parameters title="Query parameters" of={inQuery} operation={operation} />
      )}
      {body && (
        <section>
          <h2>Request body</h2>
          <Fields
            fields={body.properties ?? {}}
            required={body.required}
            named={named}
            isSent
          />
        </section>
      )}
    </>
  );
};

interface ParametersProps {
  readonly title: string;
  readonly of: readonly Parameter[];
  readonly operation: Operation;
}

const Parameters: Component<ParametersProps> = ({ title, of, operation: { named } }) => (
  <section>
    <h2>{title}</h2>
    <ul class="fields">
      {of.map(({ name, required, description, schema }) => (
        <Field
          name={name}
          schema={schema}
          named={named}
          isRequired={required}
          description={description}
          isSent
        />
      ))}
    </ul>
  </section>
);

const Answer: Component<{ operation: Operation }> = ({ operation }) => {
  const { endpoint, answer, named } = operation;
  const { data, ...others } = answer.properties ?? {};
  const found = endpoint.list ? data?.items : data;
  if (!found) return null;
  const rows = resolved(found, named);
  const { success: _, message: __, ...beside } = others;
  return (
    <section>
      <h2>Response</h2>
      <p>
        200. <code>data</code> {endpoint.list ? "is a list of:" : "has:"}
      </p>
      {alternatives(rows).map((one) => (
        <>
          {rows.anyOf && <h3>{titleOf(one)}</h3>}
          <Fields
            fields={shapeOf(one, named).fields ?? {}}
            required={resolved(one, named).required}
            named={named}
          />
        </>
      ))}
      {Object.keys(beside).length > 0 && (
        <>
          <h3>
            Beside <code>data</code>
          </h3>
          <Fields fields={beside} required={answer.required} named={named} />
        </>
      )}
      {endpoint.hasCsv && (
        <p>
          With the header{" "}
          <code>Accept: text/csv</code>, the response is one CSV of all rows. It takes the same
          filters, but neither <code>cursor</code> nor <code>limit</code>.
        </p>
      )}
    </section>
  );
};

function alternatives(schema: Schema): readonly Schema[] {
  return schema.anyOf ?? [schema];
}

/** "SubmittedWithdrawal" as words, or an event's type. */
function titleOf(schema: Schema): string {
  const words = (nameOf(schema) ?? "").replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words || String(schema.properties?.type?.const ?? "Otherwise");
}

const Refusals: Component<{ operation: Operation }> = (
  { operation: { ownRefusals, commonRefusals } },
) => (
  <section>
    <h2>Errors</h2>
    {ownRefusals.length > 0 && <RefusalTable refusals={ownRefusals} label="Errors" />}
    <details>
      <summary>
        {ownRefusals.length > 0
          ? "Errors that any request can return"
          : "Only those that any request can return"}
      </summary>
      <RefusalTable refusals={commonRefusals} label="Errors that any request can return" />
    </details>
    <p class="quiet small">
      <a href={`${BASE}/errors`}>Errors</a> explains all of them.
    </p>
  </section>
);

const RequestExample: Component<{ operation: Operation }> = ({ operation: { endpoint } }) => (
  <Tabs
    id="language"
    legend="Language of the request"
    tabs={[{ language: "SDK", text: sdkCall(endpoint) }, ...snippetsOf(endpoint)].map((
      { language, text },
    ) => ({ label: language, content: <Code title="Request" text={text} /> }))}
  />
);

const SDK_START = `// ${installSdk("$CPG_URL")}
import { Cpg } from "cpg-sdk";

const cpg = new Cpg({
  url: process.env.CPG_URL,
  keyId: process.env.CPG_KEY_ID,
  secret: process.env.CPG_SECRET,
});
`;

function sdkCall({ operationId, list, example }: Endpoint): string {
  const given = [...Object.values(example.path ?? {}), example.query, example.body]
    .filter((one) => one !== undefined)
    .map((one) => literal(one, STYLES.js));
  const call = `cpg.${operationId}(${given.join(", ")})`;
  const use = list
    ? `for await (const row of ${call}) console.log(row);`
    : `console.log(await ${call});`;
  return `${SDK_START}${use}\n`;
}
