import { assertHasPrice, rateSourceAdd } from "../../../actions/rates/manage.ts";
import { readSource } from "../../../actions/rates/read_sources.ts";
import { findSource } from "../../../actions/rates/list.ts";
import * as kind from "../../../domain/kinds.ts";
import type { NewSource } from "../../../domain/rates/new_source.ts";
import { MAX_AGE_S } from "../../../domain/rates/schedule.ts";
import { RATE_SOURCE_KINDS } from "../../../store/tables/control/rates.ts";
import type { Fields } from "../../form.ts";
import { Card } from "../../parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, done, page } from "../../routes.ts";
import { changeOrPropose, waitsText } from "../../words/proposals.ts";
import { BASE, type Visit } from "../../visit.ts";

type SourceKind = NewSource["kind"];
const KIND = kind.choice(RATE_SOURCE_KINDS);
const LABELS: Readonly<Record<SourceKind, string>> = {
  manual: "Price that you set",
  chainlink: "Chainlink feed",
  http: "Web page with JSON",
};

const newSourcePage = page({
  path: "/rates/new",
  ability: "operate",
  isSensitive: true,
  show: async (visit) => {
    const chosen = KIND.read(visit.typed("kind", visit.query.get("kind") ?? "")) ?? "manual";
    return (
      <Page visit={visit} title="New source of prices" up={{ path: "/rates", label: "Rates" }}>
        <Card title={LABELS[chosen]}>
          <Others chosen={chosen} />
          <Form visit={visit} action="/rates/new">
            <input type="hidden" name="kind" value={chosen} />
            <Field visit={visit} name="base" label="Currency" hint="Such as ETH" isRequired />
            <Field
              visit={visit}
              name="quote"
              label="Priced in"
              hint="Such as USD or EUR"
              value="USD"
              isRequired
            />
            {await fieldsOf(visit, chosen)}
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

async function fieldsOf(visit: Visit, chosen: SourceKind) {
  if (chosen === "manual") {
    return (
      <Field
        visit={visit}
        name="value"
        label="What one unit is worth"
        inputmode="decimal"
        hint="It counts until you remove it"
        isRequired
      />
    );
  }
  return (
    <>
      {chosen === "http" ? <PageFields visit={visit} /> : await feedFields(visit)}
      <Field
        visit={visit}
        name="max_age"
        label="Oldest price that counts, in seconds"
        inputmode="numeric"
        value={chosen === "http" ? "120" : "3900"}
        isRequired
      />
      {visit.fault && <Check visit={visit} name="force" label="Even if there is no price yet" />}
    </>
  );
}

async function feedFields(visit: Visit) {
  const { networks } = await visit.deps.catalog.current();
  const options = networks.filter(({ family }) => family === "evm")
    .map(({ code, name }) => ({ value: code, label: `${name} (${code})` }));
  return (
    <>
      <Select visit={visit} name="network" label="Network" options={options} />
      <Field
        visit={visit}
        name="feed"
        label="Address of the feed's proxy contract"
        hint="From Chainlink's own list of price feeds"
        isMono
        isRequired
      />
    </>
  );
}

const PageFields = ({ visit }: { visit: Visit }) => (
  <>
    <Field visit={visit} name="url" label="Address" type="url" isRequired />
    <Field
      visit={visit}
      name="pointer"
      label="JSON pointer of the price"
      hint="Such as /result/price"
      isMono
      isRequired
    />
  </>
);

const addAct = act({
  path: "/rates/new",
  ability: "operate",
  on: newSourcePage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, form } = visit;
    const wanted = form.read(sourceIn);
    if (!form.read((fields) => fields.ticked("force"))) await assertHasPrice(deps, wanted);
    const outcome = await changeOrPropose(visit, rateSourceAdd, { wanted });
    if (outcome.proposal) return done("/rates", waitsText(outcome.proposal));
    const row = outcome.done;
    await readSource(deps, row);
    const { error } = await findSource(deps, row.id);
    const pair = `${row.base}/${row.quote}`;
    return done(
      "/rates",
      error === null ? `${pair} has one more source` : `Added, but there is no price yet: ${error}`,
    );
  },
});

function sourceIn(fields: Fields): NewSource {
  const pair = {
    base: fields.required("base", kind.symbol),
    quote: fields.required("quote", kind.symbol),
  };
  const chosen = fields.required("kind", KIND);
  if (chosen === "manual") {
    return { ...pair, kind: chosen, value: fields.required("value", kind.amount) };
  }
  const maxAgeMs = 1000 * fields.required("max_age", kind.integer(MAX_AGE_S));
  if (chosen === "chainlink") {
    const network = fields.required("network", kind.networkCode);
    const feed = fields.required("feed", kind.text({ max: 64 }));
    return { ...pair, kind: chosen, network, feed, maxAgeMs };
  }
  const url = fields.required("url", kind.webUrl);
  const pointer = fields.required("pointer", kind.text({ max: 200 }));
  return { ...pair, kind: "http", url, pointer, maxAgeMs };
}

export const NEW_RATE_SOURCE_ROUTES = [newSourcePage, addAct];
