import { NodeError } from "../chains/chain.ts";
import { familyOf } from "../chains/registry.ts";
import type { CurrencyRow, NetworkRow } from "../store/rows.ts";
import { nativeAmount } from "./_price.ts";
import type { Deps } from "./deps.ts";
import { lately } from "./lately.ts";

type PricedCurrency = Pick<
  CurrencyRow,
  "network" | "contractAddress" | "feeFlat" | "feePercent" | "isActive"
>;

/** By how much a fee in the warning may be off: it tells the order of it. */
const DIGITS = 2;

/**
 * Withdrawals that bring nothing and cost gas each; null for the others. One question a network and
 * sort of payment, and none that holds up a list for longer than this.
 */
export async function freeOfCharge(
  deps: Deps,
  { rows, waitMs }: { rows: readonly PricedCurrency[]; waitMs: number },
): Promise<(string | null)[]> {
  const catalog = await deps.catalog.current();
  const costs = new Map<string, Promise<string>>();
  const told = (row: PricedCurrency): Promise<string> | null => {
    const network = catalog.network(row.network);
    if (!network?.isActive || !row.isActive || !isFree(row)) return null;
    const isToken = row.contractAddress !== null;
    const key = `${network.code} ${isToken}`;
    const cost = costs.get(key) ?? warningOf(deps, { network, isToken, waitMs });
    costs.set(key, cost);
    return cost;
  };
  return await Promise.all(rows.map(told));
}

function isFree({ feeFlat, feePercent }: PricedCurrency): boolean {
  return Number(feeFlat) === 0 && Number(feePercent) === 0;
}

interface Question {
  readonly network: NetworkRow;
  readonly isToken: boolean;
}

async function warningOf(
  deps: Deps,
  { waitMs, ...asked }: Question & { waitMs: number },
): Promise<string> {
  const { network, isToken } = asked;
  const key = JSON.stringify(["cost", network.code, network.rpcUrls, isToken]);
  const raw = await lately(deps, { key, waitMs, look: () => costOf(deps, asked) });
  const cost = raw === undefined || raw === 0n
    ? "a network fee"
    : `about ${nativeAmount(network, rounded(raw))} ${network.nativeSymbol}`;
  return `Withdrawals are free of charge; each costs ${cost}`;
}

async function costOf(deps: Deps, { network, isToken }: Question): Promise<bigint | undefined> {
  const { coins, tokens } = familyOf(network.family).usualGas;
  try {
    return await deps.chains.of(network).costNow(isToken ? tokens : coins);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}

function rounded(raw: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, raw.toString().length - DIGITS));
  return (raw + unit / 2n) / unit * unit;
}
