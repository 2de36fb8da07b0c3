import { familyOf } from "../../chains/registry.ts";
import { Amount } from "../../domain/money/amount.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { CATALOGUE, type Preset, type PresetToken } from "./catalogue.ts";

interface NetworkFlags {
  readonly preset: string | undefined;
  readonly code: string | undefined;
  readonly family: NetworkRow["family"] | undefined;
  readonly "rpc-url": readonly string[];
  readonly "min-confirmations": number | undefined;
  readonly "chain-id": string | undefined;
  readonly name: string | undefined;
  readonly "native-symbol": string | undefined;
  readonly "native-decimals": number | undefined;
  readonly "poll-interval-ms": number | undefined;
  readonly "start-block": number | "latest";
  readonly finality: NetworkRow["finality"] | undefined;
  readonly quorum: number;
  readonly traces: NetworkRow["traces"];
  readonly "fee-model": NetworkRow["feeModel"] | undefined;
  readonly "gas-price-max": string | undefined;
  readonly "fee-max": string | null | undefined;
  readonly "hot-gas-target": string | undefined;
}

/** A network before its node was asked. */
export interface NetworkPlan {
  readonly fields: Omit<
    NetworkRow,
    "chainId" | "genesisHash" | "startHeight" | "isActive" | "createdAtMs"
  >;
  readonly chainId: string | undefined;
  readonly startBlock: number | "latest";
  readonly nativeName: string;
  readonly preset: Preset | undefined;
}

const POLL_INTERVAL_MS = 2000;
export const PRESET_NAMES = CATALOGUE.map(({ code }) => code);

/** In any case. */
export function presetName(text: string): string | undefined {
  const name = text.toUpperCase();
  return PRESET_NAMES.includes(name) ? name : undefined;
}

/** Flags take precedence over the preset, and the preset over defaults. */
export function planNetwork(flags: NetworkFlags): NetworkPlan {
  const preset = presetOf(flags);
  const code = flags.code ?? preset?.code;
  if (code === undefined) throw missing("code", "ETH");
  const family = familyOf(familyNamed(flags, preset));
  const minConfirmations = flags["min-confirmations"] ?? preset?.minConfirmations;
  if (minConfirmations === undefined) throw missing("min-confirmations", "12");
  const chainId = flags["chain-id"] ?? preset?.chainId;
  const known = preset ??
    CATALOGUE.find((it) =>
      familyOfPreset(it) === family.name && (it.code === code || it.chainId === chainId)
    );
  const nativeSymbol = flags["native-symbol"] ?? known?.native.symbol ?? family.native.symbol;
  const isKnownCoin = nativeSymbol === known?.native.symbol;
  const rpcUrls = [...new Set(flags["rpc-url"])];
  if (rpcUrls.length === 0) throw missing("rpc-url", "https://rpc.example.com");
  const { quorum, traces } = flags;
  checkQuorum(quorum, rpcUrls);
  return {
    fields: {
      code,
      family: family.name,
      name: flags.name ?? known?.name ?? code,
      nativeSymbol,
      nativeDecimals: flags["native-decimals"] ?? family.native.decimals,
      rpcUrls,
      minConfirmations,
      pollIntervalMs: flags["poll-interval-ms"] ?? preset?.pollIntervalMs ?? POLL_INTERVAL_MS,
      finality: flags.finality ?? preset?.finality ?? family.finality,
      quorum,
      traces,
      feeModel: flags["fee-model"] ?? known?.feeModel ?? "l1",
      gasPriceMaxRaw: gasPriceMaxOf(flags["gas-price-max"], family.name) ?? null,
      feeMax: flags["fee-max"] ?? null,
      hotGasTarget: flags["hot-gas-target"] ?? "0",
    },
    chainId,
    startBlock: flags["start-block"],
    nativeName: isKnownCoin ? known.native.name : nativeSymbol,
    preset,
  };
}

/** The preset's tokens exist only on its own chain, not on a test network with the same settings. */
export function tokensOn(preset: Preset | undefined, chainId: string): readonly PresetToken[] {
  return preset?.chainId === chainId ? preset.tokens : [];
}

export function checkQuorum(quorum: number, rpcUrls: readonly string[]): void {
  if (quorum <= rpcUrls.length) return;
  throw new OperatorError(
    `A quorum of ${quorum} needs at least ${quorum} --rpc-url, there is ${rpcUrls.length}`,
  );
}

/** In base units of the coin. Null: no limit; undefined: not given. */
export function gasPriceMaxOf(
  text: string | undefined,
  family: NetworkRow["family"],
): string | null | undefined {
  if (text === undefined) return undefined;
  const { name, decimals } = familyOf(family).gasPriceUnit;
  if ((text.split(".")[1] ?? "").length > decimals) {
    throw new WrongSetting(
      `--gas-price-max ${text}: prices there are in ${name}, of ${decimals} decimals`,
    );
  }
  const raw = Amount.parse(text, "").toRaw(decimals);
  return raw === 0n ? null : raw.toString();
}

function presetOf({ preset }: NetworkFlags): Preset | undefined {
  return CATALOGUE.find(({ code }) => code === preset);
}

function familyNamed({ family }: NetworkFlags, preset: Preset | undefined): NetworkRow["family"] {
  const name = family ?? (preset && familyOfPreset(preset));
  if (name === undefined) throw missing("family", "evm");
  return name;
}

function familyOfPreset({ family = "evm" }: Preset): NetworkRow["family"] {
  return family;
}

/** The order itself is wrong: something is missing or impossible. */
export class WrongSetting extends OperatorError {
  override name = "WrongSetting";
}

function missing(flag: string, example: string): WrongSetting {
  const alternative = flag === "rpc-url" ? "" : " or --preset";
  return new WrongSetting(
    `network add needs --${flag}${alternative}; for example: --${flag} ${example}`,
  );
}
