import { distinctUrls } from "../../base/net/distinct_urls.ts";
import { familyOf } from "../../chains/registry.ts";
import type { Fields } from "../../dashboard/form.ts";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { presetFeeMax } from "../catalogue.ts";
import { FEE_TARGET, FINAL_BLOCKS, hasOutputs } from "../fitting.ts";
import { gasPriceMaxOf } from "../plan.ts";
import type { NetworkRow } from "../table.ts";

const FINALITIES = ["none", "finalized"] as const;
const TRACES = ["auto", "on", "off"] as const;

export const COLLECT_NAMES = [
  { value: "single", label: "Each in a transaction of its own" },
  { value: "batch", label: "Many share a transaction" },
  { value: "auto", label: "Whichever is cheaper" },
];

/** The nodes of one network, in one field. */
export const rpcUrls: kind.Kind<string[]> = {
  word: "URL",
  is: "one or more http:// or https:// URLs",
  read: (text) => {
    const urls = text.split(/\s+/).map((url) => kind.webUrl.read(url));
    return urls.every((url) => url !== undefined) ? distinctUrls(urls) : undefined;
  },
};

/** Of pushed heads, one for each node. A field can't hold empty ones, so "-" stands for none. */
export const socketUrls: kind.Kind<string[]> = {
  word: "URL",
  is: "ws:// or wss:// URLs, with - for a node that has none",
  read: (text) => {
    const urls = text.split(/\s+/).map((url) => kind.socketUrl.read(url === "-" ? "" : url));
    return urls.every((url) => url !== undefined) ? urls : undefined;
  },
};

export const networkName = kind.text({ max: 100 });

type Shown =
  & Pick<
    NetworkRow,
    | "family"
    | "minConfirmations"
    | "quorum"
    | "pollIntervalMs"
    | "hotGasTarget"
    | "finality"
    | "traces"
    | "chainId"
    | "finalBlocks"
    | "feeTarget"
  >
  & { readonly gasPriceMax: string; readonly feeMax: string; readonly feeMaxHint: string };

/** Settings that can be given when a network is added and changed later. */
export const NetworkFields = ({ visit, network }: { visit: Visit; network: Shown }) => {
  const select = (name: "finality" | "traces", label: string, values: readonly string[]) => {
    const options = values.map((value) => ({ value, label: value }));
    return (
      <Select visit={visit} name={name} label={label} options={options} value={network[name]} />
    );
  };
  const text = (name: string, label: string, value: string | number, hint?: string) => (
    <Field visit={visit} name={name} label={label} isRequired value={String(value)} hint={hint} />
  );
  const { name: unit } = familyOf(network.family).gasPriceUnit;
  return (
    <div class="pair">
      {text("min_confirmations", "Confirmations required", network.minConfirmations)}
      {text("quorum", "Nodes that must agree", network.quorum)}
      {text("poll_interval_ms", "Poll interval (ms)", network.pollIntervalMs)}
      {text(
        "gas_price_max",
        `Maximum ${hasOutputs(network) ? "fee rate" : "gas price"} (${unit})`,
        network.gasPriceMax,
        "0: no limit",
      )}
      <Field
        visit={visit}
        name="fee_max"
        label="Maximum cost of one transaction"
        value={network.feeMax}
        inputmode="decimal"
        hint={network.feeMaxHint}
      />
      {hasOutputs(network) ? <OutputFields visit={visit} network={network} /> : (
        <>
          {text("hot_gas_target", "Top up hot wallets to", network.hotGasTarget, "0: never")}
          {select("finality", "Wait for finality", FINALITIES)}
          {select("traces", "Detect coins sent by contracts", TRACES)}
        </>
      )}
    </div>
  );
};

/** Where money lies in outputs. */
const OutputFields = ({ visit, network }: { visit: Visit; network: Shown }) => {
  const { family, chainId, finalBlocks, feeTarget } = network;
  const { feeTargetBlocks, finalBlocksOn } = familyOf(family);
  const number = (
    name: string,
    label: string,
    asked: { value: number | null; fallback: number | null },
  ) => (
    <Field
      visit={visit}
      name={name}
      label={label}
      value={asked.value === null ? "" : String(asked.value)}
      inputmode="numeric"
      hint={`Default: ${asked.fallback}`}
    />
  );
  return (
    <>
      {number("final_blocks", "Blocks until nothing is undone", {
        ...{ value: finalBlocks, fallback: finalBlocksOn(chainId) },
      })}
      {number("fee_target", "Blocks in which a payment should be mined", {
        ...{ value: feeTarget, fallback: feeTargetBlocks },
      })}
    </>
  );
};

export function networkFieldsOf(fields: Fields, network: Pick<NetworkRow, "family">) {
  return {
    minConfirmations: fields.required(
      "min_confirmations",
      kind.integer({ min: 1, max: 1_000_000 }),
    ),
    quorum: fields.required("quorum", kind.integer({ min: 1, max: 20 })),
    pollIntervalMs: fields.required("poll_interval_ms", kind.integer({ min: 50, max: 3_600_000 })),
    gasPriceMax: fields.required("gas_price_max", kind.gasPrice),
    feeMax: fields.optional("fee_max", kind.feeMax) ?? null,
    ...hasOutputs(network)
      ? {
        finalBlocks: fields.optional("final_blocks", FINAL_BLOCKS) ?? null,
        feeTarget: fields.optional("fee_target", FEE_TARGET) ?? null,
      }
      : {
        hotGasTarget: fields.required("hot_gas_target", kind.amount),
        finality: fields.required("finality", kind.choice(FINALITIES)),
        traces: fields.required("traces", kind.choice(TRACES)),
      },
  };
}

/** Collects what is said while nodes are asked. */
export function warningList() {
  const warnings: string[] = [];
  const warn = (line: string) => void warnings.push(line);
  return { warnings, listener: { note: () => {}, warn } };
}

/** Null: no limit. */
export function gasPriceRaw(text: string, family: NetworkRow["family"]): string | null {
  return gasPriceMaxOf(text, family) ?? null;
}

/** Explains an empty field. */
export function feeMaxHint(network: Pick<NetworkRow, "family" | "chainId">): string {
  const known = presetFeeMax(network);
  return `Default: ${known ?? "25 times the cost in recent blocks"}`;
}
