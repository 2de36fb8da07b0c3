import { distinctUrls, nodesAt } from "../base/net/distinct_urls.ts";
import type { Family } from "../chains/family.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { CATALOGUE, type Preset, presetOn, type PresetToken } from "./catalogue.ts";
import type { NetworkRow } from "./table.ts";

/** What people decide about a new network. The preset, the chain and defaults supply the rest. */
export interface NetworkOrder {
  readonly rpcUrls: readonly string[];
  /** One for each node, in order; "" for none. */
  readonly wsUrls?: readonly string[];
  readonly preset?: string | undefined;
  readonly code?: string | undefined;
  readonly family?: NetworkRow["family"] | undefined;
  readonly minConfirmations?: number | undefined;
  readonly chainId?: string | undefined;
  readonly name?: string | undefined;
  readonly nativeSymbol?: string | undefined;
  readonly nativeDecimals?: number | undefined;
  readonly pollIntervalMs?: number | undefined;
  readonly startBlock?: number | "latest";
  readonly finality?: NetworkRow["finality"] | undefined;
  readonly quorum?: number;
  readonly traces?: NetworkRow["traces"];
  readonly feeModel?: NetworkRow["feeModel"] | undefined;
  readonly gasPriceMax?: string | undefined;
  readonly feeMax?: string | null | undefined;
  readonly hotGasTarget?: string | undefined;
  readonly isTest?: boolean | undefined;
  readonly finalBlocks?: number | null | undefined;
  readonly feeTarget?: number | null | undefined;
}

/** A network before its node was asked. */
export interface NetworkPlan {
  readonly fields: Omit<
    NetworkRow,
    | "nativeSymbol"
    | "nativeDecimals"
    | "chainId"
    | "genesisHash"
    | "startHeight"
    | "isActive"
    | "createdAtMs"
    | "testChanges"
    | "collect"
    | "collectWaitMs"
    | "rpcUrlsSealed"
    | "wsUrlsSealed"
  >;
  readonly chainId: string | undefined;
  readonly startBlock: number | "latest";
  /** What was said about its native coin, and what is known about it. */
  readonly coin: {
    readonly symbol: string | undefined;
    readonly decimals: number | undefined;
    readonly known: Preset["native"] | undefined;
  };
  readonly preset: Preset | undefined;
}

const POLL_INTERVAL_MS = 2000;
export const PRESET_NAMES = CATALOGUE.map(({ code }) => code);

/** In any case. */
export function presetName(text: string): string | undefined {
  const name = text.toUpperCase();
  return PRESET_NAMES.includes(name) ? name : undefined;
}

/** The order takes precedence over the preset, and the preset over defaults. */
export function planNetwork(order: NetworkOrder): NetworkPlan {
  const preset = CATALOGUE.find(({ code }) => code === order.preset);
  const code = order.code ?? preset?.code;
  if (code === undefined) throw refuse("network_needs", { need: "code" });
  const family = familyOf(familyNamed(order, preset));
  const chainId = order.chainId ?? preset?.chainId;
  const known = preset ?? presetLike({ family: family.name, code, chainId });
  const pace = paceOf(order, { preset, family });
  return {
    fields: {
      code,
      family: family.name,
      name: order.name ?? known?.name ?? code,
      ...nodesOf(order, family.name),
      ...pace,
      feeModel: order.feeModel ?? known?.feeModel ?? "l1",
      gasPriceMaxRaw: gasPriceMaxOf(order.gasPriceMax, family.name) ?? null,
      feeMax: order.feeMax ?? null,
      hotGasTarget: order.hotGasTarget ?? "0",
      isTest: order.isTest ?? null,
      finalBlocks: order.finalBlocks ?? null,
      feeTarget: order.feeTarget ?? null,
    },
    chainId,
    startBlock: order.startBlock ?? "latest",
    coin: {
      symbol: order.nativeSymbol,
      decimals: order.nativeDecimals,
      known: known?.native,
    },
    preset,
  };
}

/** Its native coin, once the chain is known. */
export function coinOn({ fields: { family }, coin }: NetworkPlan, chainId: string) {
  const { native } = rulesOf({ family, chainId });
  // The chain says which coin it has; a code is only a name.
  const known = presetOn({ family, chainId })?.native ?? coin.known;
  const symbol = coin.symbol ?? known?.symbol ?? native.symbol;
  const name = symbol === known?.symbol ? known.name : symbol;
  return { symbol, name, decimals: coin.decimals ?? native.decimals };
}

function paceOf(
  order: NetworkOrder,
  { preset, family }: { preset: Preset | undefined; family: Family },
) {
  const minConfirmations = order.minConfirmations ?? preset?.minConfirmations;
  if (minConfirmations === undefined) throw refuse("network_needs", { need: "minConfirmations" });
  return {
    minConfirmations,
    pollIntervalMs: order.pollIntervalMs ?? preset?.pollIntervalMs ?? POLL_INTERVAL_MS,
    finality: order.finality ?? preset?.finality ?? family.finality,
  };
}

function nodesOf(
  { rpcUrls: given, wsUrls = [], quorum = 1, traces = "auto" }: NetworkOrder,
  family: NetworkRow["family"],
) {
  const rpcUrls = distinctUrls(given);
  if (rpcUrls.length === 0) throw refuse("network_needs", { need: "rpcUrls" });
  checkQuorum({ quorum, rpcUrls });
  return { rpcUrls, wsUrls: socketsFor({ family, rpcUrls: given, wsUrls }), quorum, traces };
}

/** One for each distinct node, in the order in which both were given. Null: there are none. */
export function socketsFor(
  { family, rpcUrls, wsUrls }: Pick<NetworkRow, "family" | "rpcUrls"> & {
    wsUrls: readonly string[];
  },
): NetworkRow["wsUrls"] {
  if (wsUrls.length > rpcUrls.length) {
    throw refuse("sockets_without_nodes", { sockets: wsUrls.length, nodes: rpcUrls.length });
  }
  if (wsUrls.every((url) => url === "")) return null;
  if (!familyOf(family).openHeadSocket) throw refuse("no_pushed_heads", { family });
  const beside = new Map(rpcUrls.map((url, i) => [url, wsUrls[i] ?? ""]));
  return distinctUrls(rpcUrls).map((url) => beside.get(url) ?? "");
}

/** A node that stays keeps its socket. */
export function keptSockets(
  before: Pick<NetworkRow, "rpcUrls" | "wsUrls">,
  rpcUrls: readonly string[],
): readonly string[] {
  const beside = new Map(before.rpcUrls.map((url, i) => [url, before.wsUrls?.[i]]));
  return rpcUrls.map((url) => beside.get(url) ?? "");
}

/** The preset's tokens exist only on its own chain, not on a test network with the same settings. */
export function tokensOn(preset: Preset | undefined, chainId: string): readonly PresetToken[] {
  return preset?.chainId === chainId ? preset.tokens : [];
}

type Nodes = Pick<NetworkRow, "quorum" | "rpcUrls">;

/** What was once accepted keeps nobody from changing something else. */
export function checkQuorum({ quorum, rpcUrls }: Nodes, before?: Nodes): void {
  const isAsBefore = before?.quorum === quorum && `${before.rpcUrls}` === `${rpcUrls}`;
  if (isAsBefore) return;
  const nodes = nodesAt(rpcUrls);
  if (quorum <= nodes) return;
  throw refuse("quorum_too_large", { quorum, nodes });
}

/** In base units of the coin. Null: no limit; undefined: not given. */
export function gasPriceMaxOf(
  text: string | undefined,
  family: NetworkRow["family"],
): string | null | undefined {
  if (text === undefined) return undefined;
  const { name, decimals } = familyOf(family).gasPriceUnit;
  if ((text.split(".")[1] ?? "").length > decimals) {
    throw refuse("gas_price_too_precise", { text, unit: name, decimals });
  }
  const raw = Amount.parse(text, "").toRaw(decimals);
  return raw === 0n ? null : raw.toString();
}

/** The same network, with settings of its own. */
function presetLike(
  { family, code, chainId }: {
    family: NetworkRow["family"];
    code: string;
    chainId: string | undefined;
  },
): Preset | undefined {
  return CATALOGUE.find((it) =>
    it.family === family && (it.code === code || it.chainId === chainId)
  );
}

function familyNamed({ family }: NetworkOrder, preset: Preset | undefined): NetworkRow["family"] {
  const name = family ?? preset?.family;
  if (name === undefined) throw refuse("network_needs", { need: "family" });
  return name;
}
