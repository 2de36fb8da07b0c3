import { familyOf, rulesOf } from "../../chains/registry.ts";
import { Card, Facts } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, type Html, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { FAMILY_NAMES } from "../../domain/families.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { addPlannedNetwork } from "../add_planned.ts";
import { lookAtNode, type NodeSeen } from "../look_at_node.ts";
import {
  feeMaxHint,
  NetworkFields,
  networkFieldsOf,
  networkName,
  rpcUrls,
  warningList,
} from "./_settings.tsx";
import { hasOutputs } from "../fitting.ts";
import { shownUrl } from "../logins.ts";
import { type NetworkOrder, planNetwork } from "../plan.ts";
import type { NetworkRow } from "../table.ts";

const FEE_MODELS = ["l1", "op_stack", "arbitrum"] as const;
const MIN_CONFIRMATIONS = 12;
const POLL_INTERVAL_MS = 2000;

const FEE_MODEL_NAMES = {
  l1: "Standard",
  op_stack: "OP Stack (Base, Optimism)",
  arbitrum: "Arbitrum",
} as const;

const UP = { path: "/networks", label: "Networks" };
const FAMILY_CHOICES = FAMILY_NAMES.map((value) => ({ value, label: familyOf(value).label }));

const nodePage = page({
  path: "/networks/new",
  ability: "operate",
  isSensitive: true,
  show: (visit) => (
    <Page visit={visit} title="Add a custom network" up={UP}>
      <Card>
        <Form visit={visit} action="/networks/new">
          <Select
            visit={visit}
            name="family"
            label="Chain type"
            value={FAMILY_NAMES[0]}
            options={FAMILY_CHOICES}
          />
          <Field
            visit={visit}
            name="rpc_url"
            label="Node URL"
            hint="JSON-RPC (TRON: HTTP API) over http or https, with name and password if it asks for them, as in http://name:password@127.0.0.1:8332; separate several with spaces"
            isRequired
          />
          <Submit>Check node</Submit>
        </Form>
      </Card>
    </Page>
  ),
});

const lookAct = act({
  path: "/networks/new",
  ability: "operate",
  on: nodePage,
  run: (visit) => confirm(visit),
});

/** Asked again when it is added, because a form can't be trusted about a node. */
async function nodeOf({ deps, form }: Visit): Promise<Node> {
  const { family, urls } = form.read((fields) => ({
    family: fields.required("family", kind.choice(FAMILY_NAMES)),
    urls: fields.required("rpc_url", rpcUrls),
  }));
  return { family, urls, seen: await lookAtNode(deps, { family, rpcUrls: urls }) };
}

async function confirm(visit: Visit): Promise<Html> {
  const node = await nodeOf(visit);
  return (
    <Page visit={visit} title="Is this the right chain?" up={UP}>
      <Doubts node={node} />
      <Card title="Reported by the node">
        <ChainFacts node={node} />
      </Card>
      <Card title="Name and connection">
        <Settings visit={visit} node={node} />
      </Card>
    </Page>
  );
}

const confirmationPage = page({
  path: "/networks/new",
  ability: "operate",
  isSensitive: true,
  show: confirm,
});

const addAct = act({
  path: "/networks/new/confirm",
  ability: "operate",
  on: confirmationPage,
  run: async (visit) => {
    const node = await nodeOf(visit);
    const { deps, form, actor } = visit;
    const { chainId, genesisHash } = node.seen.identity;
    if (form.text("chain_id") !== chainId || form.text("genesis") !== genesisHash) {
      throw new OperatorError("The node is now on a different chain than the one you reviewed");
    }
    const plan = planNetwork(orderOf(visit, node));
    const { warnings, listener } = warningList();
    const { code } = await addPlannedNetwork(deps, { plan, actor, listener });
    return done(`/networks/${code}`, [`${code} added`, ...warnings].join(". "));
  },
});

function orderOf({ form }: Visit, { family, urls, seen: { identity } }: Node): NetworkOrder {
  const fields = form.read((fields) => ({
    ...networkFieldsOf(fields, { family }),
    code: fields.required("code", kind.networkCode),
    name: fields.required("name", networkName),
    nativeSymbol: fields.required("native_symbol", kind.symbol),
    nativeDecimals: fields.required("native_decimals", kind.decimals),
    startBlock: fields.required("start_block", kind.blockOrLatest),
    ...hasOutputs({ family })
      ? {}
      : { feeModel: fields.required("fee_model", kind.choice(FEE_MODELS)) },
  }));
  return { ...fields, family, rpcUrls: urls, chainId: identity.chainId };
}

export const NEW_NETWORK_ROUTES = [nodePage, lookAct, addAct];

interface Node {
  readonly family: NetworkRow["family"];
  readonly urls: readonly string[];
  readonly seen: NodeSeen;
}

const Doubts = ({ node: { seen: { preset, namesakes } } }: { node: Node }) => (
  <>
    {namesakes.length > 0 && (
      <p class="message warn">
        {namesakes.map(({ code }) => code).join(", ")}{" "}
        is already on this chain. If you add it again, the same coins appear under two names.
      </p>
    )}
    {preset && namesakes.length === 0 && (
      <p class="message warn">
        This is{" "}
        {preset.name}, which is in the list of networks. Add it from there to get its usual tokens
        too.
      </p>
    )}
  </>
);

function tracesFact({ canTrace }: NodeSeen): [string, string] {
  return ["Coins sent by contracts", canTrace ? "can be detected" : "cannot be detected"];
}

const ChainFacts = ({ node: { family, urls, seen } }: { node: Node }) => (
  <Facts
    rows={[
      ["Chain", `${seen.identity.chainId} (${family})`],
      ["First block", <code class="whole">{seen.identity.genesisHash}</code>],
      ["Newest block", seen.tip.height],
      ["Last final block", seen.tip.finalizedHeight ?? "not reported"],
      ...hasOutputs({ family }) ? [] : [tracesFact(seen)],
      [
        urls.length === 1 ? "Node" : "Nodes",
        <span class="whole">{urls.map(shownUrl).join(" ")}</span>,
      ],
    ]}
  />
);

interface SettingsProps {
  readonly visit: Visit;
  readonly node: Node;
}

const Settings = ({ visit, node }: SettingsProps) => (
  <Form visit={visit} action="/networks/new/confirm">
    <Reviewed node={node} />
    <Naming visit={visit} node={node} />
    <NetworkFields visit={visit} network={proposed(node)} />
    <Submit confirm="From now on, coins are booked and paid according to this chain.">
      Add network
    </Submit>
  </Form>
);

const Reviewed = ({ node: { family, urls, seen: { identity } } }: { node: Node }) => (
  <>
    <input type="hidden" name="family" value={family} />
    <input type="hidden" name="rpc_url" value={urls.join(" ")} />
    <input type="hidden" name="chain_id" value={identity.chainId} />
    <input type="hidden" name="genesis" value={identity.genesisHash} />
  </>
);

const Naming = ({ visit, node: { family, seen: { identity, tip, preset } } }: SettingsProps) => {
  const { native } = rulesOf({ family, chainId: identity.chainId });
  const text = (name: string, label: string, value: string, hint?: string) => (
    <Field visit={visit} name={name} label={label} value={value} hint={hint} isRequired />
  );
  return (
    <div class="pair">
      {text("code", "Code", preset?.code ?? "", "Used in the API and fixed forever, such as ETH")}
      {text("name", "Name", preset?.name ?? "")}
      {text("native_symbol", "Native coin", preset?.native.symbol ?? native.symbol)}
      {text("native_decimals", "Native coin decimals", String(native.decimals))}
      {text("start_block", "First block to read", "latest", `latest: starts after ${tip.height}`)}
      {!hasOutputs({ family }) && (
        <Select
          visit={visit}
          name="fee_model"
          label="Fee model"
          options={FEE_MODELS.map((value) => ({ value, label: FEE_MODEL_NAMES[value] }))}
          value={preset?.feeModel ?? "l1"}
        />
      )}
    </div>
  );
};

function proposed({ family, seen: { identity: { chainId }, preset } }: Node) {
  return {
    family,
    minConfirmations: preset?.minConfirmations ?? MIN_CONFIRMATIONS,
    quorum: 1,
    pollIntervalMs: preset?.pollIntervalMs ?? POLL_INTERVAL_MS,
    gasPriceMax: "0",
    feeMax: "",
    feeMaxHint: feeMaxHint({ family, chainId }),
    hotGasTarget: "0",
    finality: preset?.finality ?? familyOf(family).finality,
    traces: "auto" as const,
    ...{ chainId, finalBlocks: null, feeTarget: null },
  };
}
