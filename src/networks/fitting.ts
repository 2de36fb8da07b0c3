import { familyOf, rulesOf } from "../chains/registry.ts";
import * as kind from "../domain/kinds.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "./table.ts";

export const FEE_TARGET = kind.integer({ min: 1, max: 1_008 });
export const FINAL_BLOCKS = kind.integer({ min: 1, max: 100 });

type Placed = Pick<NetworkRow, "code" | "family">;
type Settings = Partial<
  Pick<
    NetworkRow,
    "hotGasTarget" | "traces" | "feeModel" | "finality" | "finalBlocks" | "feeTarget" | "collect"
  >
>;

/** Whether money lies in outputs there: no gas, no contracts, and no balances. */
export function hasOutputs({ family }: Pick<NetworkRow, "family">): boolean {
  return familyOf(family).holdings === "outputs";
}

/** Refuses what would have no effect there. */
export function mustFit(network: Placed, settings: Settings): void {
  const { code } = network;
  const { hotGasTarget, traces, feeModel, finality, finalBlocks, feeTarget } = settings;
  const isSaid = (value: unknown, ...idle: unknown[]) =>
    value !== undefined && !idle.includes(value);
  if (!hasOutputs(network)) {
    if (isSaid(finalBlocks, null)) throw refuse("final_blocks_unfit", { code });
    if (isSaid(feeTarget, null)) throw refuse("setting_unfit", { code, setting: "feeTarget" });
    return;
  }
  if (isSaid(finality, "none")) throw refuse("finality_unfit", { code });
  if (isSaid(traces, "auto")) throw refuse("setting_unfit", { code, setting: "traces" });
  if (isSaid(feeModel, "l1")) throw refuse("setting_unfit", { code, setting: "feeModel" });
  if (isSaid(hotGasTarget, "0")) throw refuse("setting_unfit", { code, setting: "hotGasTarget" });
}

/** Refuses fewer final blocks than the chain's own default. */
export function mustBeFinal(
  { code, family, chainId }: Pick<NetworkRow, "code" | "family" | "chainId">,
  finalBlocks: number | null | undefined,
): void {
  const least = familyOf(family).finalBlocksOn(chainId);
  if (least === null || finalBlocks === null || finalBlocks === undefined) return;
  if (finalBlocks < least) throw refuse("final_blocks_few", { code, finalBlocks, least });
}

/** From how many blocks on nothing is undone; null where it isn't counted. */
export function finalBlocksOf(
  { family, chainId, finalBlocks }: Pick<NetworkRow, "family" | "chainId" | "finalBlocks">,
): number | null {
  return finalBlocks ?? familyOf(family).finalBlocksOn(chainId);
}

/** Refuses other decimals of the native coin than its chain counts in, where those never differ. */
export function mustCountIn(
  network: Pick<NetworkRow, "code" | "family" | "chainId">,
  decimals: number,
): void {
  const { symbol, decimals: own } = rulesOf(network).native;
  if (hasOutputs(network) && decimals !== own) {
    throw refuse("native_decimals_differ", { code: network.code, symbol, decimals, own });
  }
}

export function mustHaveTokens(
  network: Placed,
  contract: string | null | undefined,
): void {
  if (contract && hasOutputs(network)) throw refuse("no_tokens", { code: network.code });
}
