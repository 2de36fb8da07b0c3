import { ADD_RATE_SOURCE, NEEDED } from "../operations.ts";
import type { sourceShape } from "../shapes.ts";
import * as kind from "../../domain/kinds.ts";
import { RATE_SOURCE_KINDS } from "../table.ts";
import { formOf } from "../../dashboard/asking.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";

type SourceKind = typeof RATE_SOURCE_KINDS[number];
const KIND = kind.choice(RATE_SOURCE_KINDS);
const LABELS: Readonly<Record<SourceKind, string>> = {
  manual: "Price that you set",
  chainlink: "Chainlink feed",
  http: "Web page with JSON",
};
const VALUES = {
  manual: { quote: "USD" },
  chainlink: { quote: "USD", "max-age": "3900" },
  http: { quote: "USD", "max-age": "120" },
};

const needsOf = (chosen: SourceKind) => ["base", "quote", ...NEEDED[chosen]] as const;

const newSourcePage = page({
  path: "/rates/new",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const chosen = KIND.read(visit.typed("kind", visit.query.get("kind") ?? "")) ?? "manual";
    const needs = needsOf(chosen);
    const isUnread = visit.fault !== undefined && chosen !== "manual";
    const { networks } = await visit.deps.catalog.current();
    const network = networks.filter(({ family }) => family === "evm")
      .map(({ code, name }) => ({ value: code, label: `${name} (${code})` }));
    return (
      <Page visit={visit} title="New source of prices" up={{ path: "/rates", label: "Rates" }}>
        <Card title={LABELS[chosen]}>
          <Others chosen={chosen} />
          <Form visit={visit} action="/rates/new">
            <input type="hidden" name="kind" value={chosen} />
            <FlagFields
              visit={visit}
              operation={ADD_RATE_SOURCE}
              names={isUnread ? [...needs, "force"] : needs}
              needs={needs}
              options={{ network }}
              values={VALUES[chosen]}
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
    Instead: {RATE_SOURCE_KINDS.filter((one) => one !== chosen).map((one, i) => (
      <>
        {i > 0 && ", "}
        <a href={`${BASE}/rates/new?kind=${one}`}>{LABELS[one]}</a>
      </>
    ))}
  </p>
);

const addAct = formOf(ADD_RATE_SOURCE, {
  path: "/rates/new",
  on: newSourcePage,
  isSensitive: true,
  fields: ({ form }) => {
    const needs = needsOf(KIND.read(form.text("kind")) ?? "manual");
    return { names: ["kind", ...needs, "force"], needs };
  },
  to: "/rates",
  said: ({ base, quote, last_error: error }: ReturnType<typeof sourceShape>) =>
    error === null
      ? `${base}/${quote} has one more source`
      : `Added, but there is no price yet: ${error}`,
});

export const NEW_RATE_SOURCE_ROUTES = [newSourcePage, addAct];
