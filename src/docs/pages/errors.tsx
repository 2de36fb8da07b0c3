import type { Child, Component } from "../../base/html.ts";
import { type ErrorAnswer, refusalAnswers } from "../../http/error_table.ts";
import { Json } from "../parts/code.tsx";
import { Fields } from "../parts/fields.tsx";
import { Words } from "../parts/prose.tsx";
import { type Operation, operationsOf } from "../reference.ts";
import { BASE, type DocPage, operationPath } from "../site.ts";

export const ERRORS_PAGE: DocPage = {
  path: `${BASE}/errors`,
  title: "Errors",
  group: "Reference",
  show: () => show(operationsOf()),
};

const EXAMPLE = {
  success: false,
  message: "Invalid fields: amount",
  error: {
    code: "validation_failed",
    request_id: "Xb2f0SyQp5nL8vRd",
    fields: [{ field: "amount", message: "Required" }],
  },
};

/** One code may have several messages. */
const idOf = ({ message }: ErrorAnswer) => message.toLowerCase().replace(/\W+/g, "-");

function show(operations: readonly Operation[]): Child {
  const refusals = refusalAnswers();
  const { named } = operations[0]!;
  return (
    <article class="prose">
      <h1>Errors</h1>
      <p>
        Look up the message or the code of a response. Programs should check <code>code</code>;{" "}
        <code>message</code>{" "}
        is for people, and may end with a colon and details, such as the names of fields.
      </p>
      <Index refusals={refusals} />
      <h2>What an error looks like</h2>
      <Json value={EXAMPLE} title="A response with status 422" />
      <Fields
        fields={named.Failure!.properties!}
        required={named.Failure!.required}
        named={named}
      />
      {refusals.map((refusal) => <Explained refusal={refusal} operations={operations} />)}
    </article>
  );
}

const Index: Component<{ refusals: readonly ErrorAnswer[] }> = ({ refusals }) => (
  <div class="scroll" tabindex="0" role="region" aria-label="All errors">
    <table>
      <thead>
        <tr>
          <th>Status</th>
          <th>Message</th>
          <th>Code</th>
        </tr>
      </thead>
      <tbody>
        {refusals.map((refusal) => (
          <tr>
            <td>{refusal.status}</td>
            <td>
              <a href={`#${idOf(refusal)}`}>{refusal.message}</a>
            </td>
            <td>
              <code>{refusal.code}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

interface ExplainedProps {
  readonly refusal: ErrorAnswer;
  readonly operations: readonly Operation[];
}

const Explained: Component<ExplainedProps> = ({ refusal, operations }) => {
  const has = (refusals: readonly ErrorAnswer[]) =>
    refusals.some(({ message }) => message === refusal.message);
  const isCommon = operations.every(({ commonRefusals, ownRefusals }) =>
    has([...commonRefusals, ...ownRefusals])
  );
  const some = operations.filter(({ ownRefusals }) => has(ownRefusals));
  return (
    <section class="explained">
      <h2 id={idOf(refusal)}>{refusal.message}</h2>
      <p>
        <span class="status">{refusal.status}</span> <code>{refusal.code}</code>
      </p>
      <p>
        <Words text={refusal.advice} />
      </p>
      {refusal.status === 502 && (
        <p>
          <a href={`${BASE}/guides/api#when-a-payment-fails-with-502`}>The guide</a>{" "}
          lists the causes and who can fix them.
        </p>
      )}
      {!isCommon && some.length > 0 && <ReturnedBy operations={some} />}
    </section>
  );
};

const ReturnedBy: Component<{ operations: readonly Operation[] }> = ({ operations }) => (
  <p class="quiet small">
    Returned by {operations.map(({ endpoint }, i) => [
      i > 0 ? ", " : "",
      <a href={operationPath(endpoint)}>{endpoint.summary}</a>,
    ])}
  </p>
);
