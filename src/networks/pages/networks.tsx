import { Card, EmptyState, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import { addPlannedNetwork } from "../add_planned.ts";
import { CATALOGUE } from "../catalogue.ts";
import { rpcUrls, warningList } from "./_settings.tsx";
import { lagOf, stateOf } from "./network_state.ts";
import { planNetwork } from "../plan.ts";
import { networkHealth } from "../reads/health.ts";
import { answeredAtMs } from "../rules/network_health.ts";
import type { NetworkRow } from "../table.ts";

const networksPage = page({
  path: "/networks",
  ability: "see_gateway",
  nav: { label: "Networks", group: "Gateway" },
  show: async (visit) => {
    const [{ networks }, cursors] = await Promise.all([
      visit.deps.catalog.current(),
      networkHealth(visit.deps.db),
    ]);
    const nowMs = visit.deps.clock.nowMs();
    return (
      <Page
        visit={visit}
        title="Networks"
        actions={visit.may("GET", "/networks/add") && (
          <a class="button" href={`${BASE}/networks/add`}>New network</a>
        )}
      >
        <Card>
          <Table
            caption="Networks"
            rows={networks}
            empty={
              <EmptyState title="No networks yet">
                A network needs the URL of one node. Its usual tokens are added with it.
              </EmptyState>
            }
            columns={columnsFor(cursors, nowMs)}
          />
        </Card>
      </Page>
    );
  },
});

function columnsFor(cursors: readonly NetworkCursorRow[], nowMs: number): Column<NetworkRow>[] {
  const cursorOf = new Map(cursors.map((cursor) => [cursor.network, cursor]));
  return [
    {
      title: "Code",
      at: "open",
      cell: ({ code }) => <a href={`${BASE}/networks/${code}`}>{code}</a>,
    },
    { title: "Name", at: "title", cell: ({ name }) => name },
    {
      title: "Status",
      at: "state",
      cell: (row) => <Status value={stateOf(row, cursorOf.get(row.code), nowMs)} />,
    },
    {
      title: "Last block read",
      isNumber: true,
      cell: ({ code }) => cursorOf.get(code)?.scanHeight ?? "–",
    },
    {
      title: "Blocks behind",
      isNumber: true,
      cell: ({ code }) => lagOf(cursorOf.get(code), nowMs) ?? "–",
    },
    {
      title: "Last checked",
      at: "age",
      cell: ({ code }) => {
        const cursor = cursorOf.get(code);
        return <Time atMs={cursor ? answeredAtMs(cursor) : null} />;
      },
    },
  ];
}

const addPage = page({
  path: "/networks/add",
  ability: "operate",
  show: async (visit) => {
    const { networks } = await visit.deps.catalog.current();
    return (
      <Page visit={visit} title="New network" up={{ path: "/networks", label: "Networks" }}>
        <NewNetwork visit={visit} networks={networks} />
      </Page>
    );
  },
});

const NewNetwork = ({ visit, networks }: { visit: Visit; networks: readonly NetworkRow[] }) => {
  const taken = new Set(networks.map(({ code }) => code));
  const options = CATALOGUE
    .filter(({ code }) => !taken.has(code))
    .map(({ code, name }) => ({ value: code, label: `${code}: ${name}` }));
  return (
    <Card>
      <p class="quiet">
        The network's usual tokens are added with it. A node on a different chain is refused. If a
        network is not listed, or is your own,{" "}
        <a href={`${BASE}/networks/new`}>add it by its node</a>.
      </p>
      <Form visit={visit} action="/networks">
        <Select visit={visit} name="preset" label="Network" options={options} />
        <Field
          visit={visit}
          name="rpc_url"
          label="Node URL"
          hint="JSON-RPC over http or https, with name and password if it asks for them; separate several with spaces"
          isRequired
        />
        <Submit>Add network</Submit>
      </Form>
    </Card>
  );
};

const presetKind = kind.choice(CATALOGUE.map(({ code }) => code));

const addAct = act({
  path: "/networks",
  ability: "operate",
  on: addPage,
  isSensitive: true,
  run: async ({ deps, form, actor }) => {
    const { preset, urls } = form.read((fields) => ({
      preset: fields.required("preset", presetKind),
      urls: fields.required("rpc_url", rpcUrls),
    }));
    const { warnings, listener } = warningList();
    const plan = planNetwork({ preset, rpcUrls: urls });
    const { code } = await addPlannedNetwork(deps, { plan, actor, listener });
    return done(`/networks/${code}`, [`${code} added`, ...warnings].join(". "));
  },
});

export const NETWORK_LIST_ROUTES = [networksPage, addPage, addAct];
