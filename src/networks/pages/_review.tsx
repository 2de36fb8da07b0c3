import type { NodeSeen } from "../look_at_node.ts";
import { familyOf } from "../../chains/registry.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { Facts } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { feeMaxHint, NetworkFields } from "./_settings.tsx";
import type { Visit } from "../../dashboard/visit.ts";

export const FEE_MODELS = ["l1", "op_stack", "arbitrum"] as const;
const MIN_CONFIRMATIONS = 12;
const POLL_INTERVAL_MS = 2000;

export interface Node {
  readonly family: NetworkRow["family"];
  readonly urls: readonly string[];
  readonly seen: NodeSeen;
}

export const Doubts = ({ node: { seen: { preset, namesakes } } }: { node: Node }) => (
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

export const ChainFacts = ({ node: { family, urls, seen } }: { node: Node }) => (
  <Facts
    rows={[
      ["Chain", `${seen.identity.chainId} (${family})`],
      ["First block", <code class="whole">{seen.identity.genesisHash}</code>],
      ["Newest block", seen.tip.height],
      ["Last final block", seen.tip.finalizedHeight ?? "not reported"],
      ["Coins sent by contracts", seen.canTrace ? "can be detected" : "cannot be detected"],
      [urls.length === 1 ? "Node" : "Nodes", <span class="whole">{urls.join(" ")}</span>],
    ]}
  />
);

interface SettingsProps {
  readonly visit: Visit;
  readonly node: Node;
}

export const Settings = ({ visit, node }: SettingsProps) => (
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

const Naming = ({ visit, node: { family, seen: { tip, preset } } }: SettingsProps) => {
  const { native } = familyOf(family);
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
      <Select
        visit={visit}
        name="fee_model"
        label="Fee model"
        options={FEE_MODELS.map((value) => ({ value, label: FEE_MODEL_NAMES[value] }))}
        value={preset?.feeModel ?? "l1"}
      />
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
  };
}

const FEE_MODEL_NAMES = {
  l1: "Standard",
  op_stack: "OP Stack (Base, Optimism)",
  arbitrum: "Arbitrum",
} as const;
