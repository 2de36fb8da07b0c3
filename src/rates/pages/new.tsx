import { first } from "../../base/lists.ts";
import { ADD_RATE_SOURCE } from "../operations.ts";
import { kindOf, SOURCE_KINDS } from "../sources/kinds.ts";
import type { SourceKind } from "../sources/source.ts";
import { formOf } from "../../dashboard/asking.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";

function chosenKind(text: string): SourceKind {
  return kindOf({ kind: text }) ?? first(SOURCE_KINDS);
}

function labelOf({ what }: SourceKind): string {
  const name = what.replace(/^an? /, "");
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

function fieldsOf({ fields }: SourceKind) {
  const pair = ["base", "quote"];
  const needed = Object.keys(fields).filter((name) => !fields[name]?.isOptional);
  return { names: [...pair, ...Object.keys(fields)], needs: [...pair, ...needed] };
}

const newSourcePage = page({
  path: "/rates/new",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const chosen = chosenKind(visit.typed("kind", visit.query.get("kind") ?? ""));
    const { names, needs } = fieldsOf(chosen);
    const isUnread = visit.fault !== undefined && chosen.reads !== undefined;
    const catalog = await visit.deps.catalog.current();
    return (
      <Page visit={visit} title="New source of prices" up={{ path: "/rates", label: "Rates" }}>
        <Card title={labelOf(chosen)}>
          <Others chosen={chosen} />
          <Form visit={visit} action="/rates/new">
            <input type="hidden" name="kind" value={chosen.name} />
            <FlagFields
              visit={visit}
              operation={ADD_RATE_SOURCE}
              names={isUnread ? [...names, "force"] : names}
              needs={needs}
              options={chosen.choices?.(catalog) ?? {}}
              values={{ quote: "USD", ...chosen.usual }}
            />
            <Submit>Add source</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const Others = ({ chosen }: { chosen: SourceKind }) => (
  <p>
    Instead: {SOURCE_KINDS.filter((one) => one !== chosen).map((one, i) => (
      <>
        {i > 0 && ", "}
        <a href={`${BASE}/rates/new?kind=${one.name}`}>{labelOf(one)}</a>
      </>
    ))}
  </p>
);

const addAct = formOf(ADD_RATE_SOURCE, {
  path: "/rates/new",
  on: newSourcePage,
  isSensitive: true,
  fields: ({ form }) => {
    const { names, needs } = fieldsOf(chosenKind(form.text("kind")));
    return { names: ["kind", ...names, "force"], needs };
  },
  to: "/rates",
  said: ({ base, quote, last_error: error }) =>
    error === null
      ? `${base}/${quote} has one more source`
      : `Added, but there is no price yet: ${error}`,
});

export const NEW_RATE_SOURCE_ROUTES = [newSourcePage, addAct];
