import type { Child } from "../../base/html.ts";
import { Json } from "../parts/code.tsx";
import { RefusalTable } from "../parts/refusals.tsx";
import { operationsOf } from "../reference.ts";
import { BASE, type DocPage } from "../site.ts";

export const ERRORS_PAGE: DocPage = {
  path: `${BASE}/errors`,
  title: "Errors",
  group: "Reference",
  show: () => show(),
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

function show(): Child {
  const all = operationsOf().flatMap(({ ownRefusals, commonRefusals }) => [
    ...ownRefusals,
    ...commonRefusals,
  ]);
  const once = [...new Map(all.map((refusal) => [refusal.message, refusal])).values()]
    .toSorted((a, b) => a.status - b.status);
  return (
    <article class="prose">
      <h1>Errors</h1>
      <p>
        Decide by <code>code</code>. <code>message</code>{" "}
        is for people; where it names a permission or fields, they follow a colon. Report the{" "}
        <code>request_id</code> to the operator, whose log has it.
      </p>
      <Json value={EXAMPLE} title="An answer with status 422" />
      <RefusalTable refusals={once} label="All errors" />
    </article>
  );
}
