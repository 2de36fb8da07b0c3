import type { KnownSource } from "../known.ts";
import { type ListedRate, listRates, listSources } from "../list.ts";
import { REMOVE_RATE_SOURCE } from "../operations.ts";
import { isFresh } from "../rules/rate_of.ts";
import { kindOf, originInWords } from "../sources/kinds.ts";
import { formOf } from "../../dashboard/asking.ts";
import { Age, Card, EmptyState, Money, Status } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const ratesPage = page({
  path: "/rates",
  ability: "see_gateway",
  nav: { label: "Rates", group: "Gateway" },
  show: async (visit) => (
    <Page
      visit={visit}
      title="Rates"
      actions={visit.may("GET", "/rates/new") && (
        <a class="button" href={`${BASE}/rates/new`}>New source</a>
      )}
    >
      <Card title="What coins are worth now">
        <Table
          caption="Rates"
          rows={await listRates(visit.deps)}
          empty={
            <EmptyState title="No source of prices yet">
              With one, invoices in dollars or euros can be paid in coins.
            </EmptyState>
          }
          columns={rateColumns(visit)}
        />
      </Card>
      <Card title="Sources">
        <p class="quiet">
          Chainlink feeds that the networks' presets know are read without being added. A pair with
          sources of your own uses only those.
        </p>
        <Table
          caption="Sources"
          rows={await listSources(visit.deps)}
          empty="None of your own"
          columns={sourceColumns(visit)}
        />
      </Card>
    </Page>
  ),
});

function rateColumns({ nowMs }: Visit): Column<ListedRate>[] {
  return [
    {
      title: "Pair",
      at: "title",
      cell: ({ base, quote, isTest }) => `${base}/${quote}${isTest ? " of test coins" : ""}`,
    },
    {
      title: "Rate",
      isNumber: true,
      at: "amount",
      cell: ({ rate, quote }) => rate && <Money amount={rate.value} quote={quote} isWhole />,
    },
    {
      title: "State",
      at: "state",
      cell: ({ rate }) => rate ? <Status value="ok" /> : <Status value="no rate" tone="bad" />,
    },
    { title: "Fresh sources", isNumber: true, cell: ({ sources }) => sources },
    { title: "Price from", cell: ({ rate }) => <Age atMs={rate?.atMs ?? null} nowMs={nowMs} /> },
  ];
}

function sourceColumns(visit: Visit): Column<KnownSource>[] {
  const { nowMs } = visit;
  return [
    { title: "Pair", at: "title", cell: ({ base, quote }) => `${base}/${quote}` },
    { title: "Source", cell: (source) => <Place visit={visit} source={source} /> },
    {
      title: "Last price",
      isNumber: true,
      at: "amount",
      cell: ({ price, quote }) => price && <Money amount={price.value} quote={quote} isWhole />,
    },
    {
      title: "State",
      at: "state",
      cell: (source) => <State source={source} nowMs={nowMs} />,
    },
    { title: "Price from", cell: ({ price }) => <Age atMs={price?.atMs ?? null} nowMs={nowMs} /> },
    {
      title: "Actions",
      isTitleHidden: true,
      cell: (source) => <Remove visit={visit} {...source} />,
    },
  ];
}

const Place = ({ visit, source }: { visit: Visit; source: KnownSource }) => {
  const { kind, network, feed, url, isPreset } = source;
  const origin = originInWords(source) ?? (url === null ? undefined : shownUrl(url));
  return (
    <>
      {(kindOf({ kind })?.short ?? kind) + (isPreset ? ", from the preset" : "")}
      {network !== null && ` on ${visit.network(network)}`}
      {feed !== null && (
        <>
          {" "}
          <code class="cut" title={feed}>{feed}</code>
        </>
      )}
      {origin !== undefined && (
        <>
          {" "}
          <span class="quiet">{origin}</span>
        </>
      )}
    </>
  );
};

/** What follows may contain a key. */
function shownUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return host + pathname;
}

const State = ({ source, nowMs }: { source: KnownSource; nowMs: number }) => {
  const { error, failingSinceMs } = source;
  const state = isFresh(source, nowMs) ? "fresh" : source.price ? "stale" : "no price";
  return (
    <>
      <Status value={state} tone={state === "fresh" ? "good" : "bad"} />
      {error !== null && (
        <span class="quiet small">
          {" "}
          {error}, failing since <Age atMs={failingSinceMs} nowMs={nowMs} />
        </span>
      )}
    </>
  );
};

const Remove = ({ visit, id, base, quote }: Pick<KnownSource, "id" | "base" | "quote"> & {
  visit: Visit;
}) =>
  id !== null && (
    <Form visit={visit} action={`/rates/${id}/remove`} isInline>
      <Submit tone="plain" confirm={`${base}/${quote} loses this source of prices.`}>Remove</Submit>
    </Form>
  );

const removeAct = formOf(REMOVE_RATE_SOURCE, {
  path: "/rates/:id/remove",
  on: ratesPage,
  isSensitive: true,
  to: "/rates",
  said: ({ base, quote }) => base ? `The source of ${base}/${quote} is removed` : "Removed",
});

export const RATE_ROUTES = [ratesPage, removeAct];
