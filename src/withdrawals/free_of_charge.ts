import { lately } from "../books/lately.ts";
import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { nativeAmount } from "../transfers/price.ts";

type PricedCurrency = Pick<
  CurrencyRow,
  "network" | "contractAddress" | "feeFlat" | "feePercent" | "isActive"
>;

/** Significant digits of a fee where only its magnitude matters. */
const DIGITS = 2;

/**
 * Warns about withdrawals whose fee is zero or less than a new address may cost; null if there is
 * nothing to warn about. One question per network and kind of payment, none longer than `waitMs`.
 */
export async function freeOfCharge(
  deps: Deps,
  { rows, waitMs }: { rows: readonly PricedCurrency[]; waitMs: number },
): Promise<(string | null)[]> {
  const catalog = await deps.catalog.current();
  const costs = new Map<string, Promise<string>>();
  const warningFor = (row: PricedCurrency): Promise<string | null> | null => {
    const network = catalog.network(row.network);
    if (!network?.isActive || !row.isActive) return null;
    const isToken = row.contractAddress !== null;
    if (!isFree(row)) return isToken ? null : uncoveredOf(deps, { network, row, waitMs });
    const key = `${network.code} ${isToken}`;
    const cost = costs.get(key) ?? warningOf(deps, { network, isToken, waitMs });
    costs.set(key, cost);
    return cost;
  };
  return await Promise.all(rows.map(warningFor));
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
  const raw = await usualCostOf(deps, { ...asked, waitMs });
  const cost = raw === undefined || raw === 0n
    ? "a network fee"
    : `about ${nativeAmount(network, roughly(raw))} ${network.nativeSymbol}`;
  const free = `Withdrawals are free of charge; each costs ${cost}`;
  const more = isToken ? undefined : await newAddressFee(deps, { network, waitMs });
  return more
    ? `${free}, and ${more} ${network.nativeSymbol} more to an address that nobody has used`
    : free;
}

/** Of a payment now, in base units of the native coin; undefined if no node says it in time. */
export async function usualCostOf(
  deps: Deps,
  { waitMs, ...asked }: Question & { waitMs: number },
): Promise<bigint | undefined> {
  const { network, isToken } = asked;
  const key = JSON.stringify(["cost", network.code, network.rpcUrls, isToken]);
  return await lately(deps, { key, waitMs, look: () => costOf(deps, asked) });
}

/** A customer who is paid at ever new addresses has each of them activated at our cost. */
async function uncoveredOf(
  deps: Deps,
  { network, row: { feeFlat }, waitMs }: {
    network: NetworkRow;
    row: PricedCurrency;
    waitMs: number;
  },
): Promise<string | null> {
  const more = await newAddressFee(deps, { network, waitMs });
  if (!more || !nativeAmount(network, feeFlat).isLessThan(more)) return null;
  const { nativeSymbol } = network;
  return `A withdrawal to an address that nobody has used costs ${more} ${nativeSymbol} more; ` +
    `the flat fee is ${feeFlat} ${nativeSymbol}`;
}

async function newAddressFee(
  deps: Deps,
  { network, waitMs }: { network: NetworkRow; waitMs: number },
): Promise<Amount | undefined> {
  const chain = deps.chains.of(network);
  const ask = chain.newAddressFee?.bind(chain);
  if (!ask) return undefined;
  const key = JSON.stringify(["new address", network.code, network.rpcUrls]);
  const look = () => ask().catch(unknown);
  const raw = await lately(deps, { key, waitMs, look });
  return raw ? nativeAmount(network, raw) : undefined;
}

function unknown(error: unknown): undefined {
  if (!(error instanceof NodeError)) throw error;
}

async function costOf(deps: Deps, { network, isToken }: Question): Promise<bigint | undefined> {
  const { coins, tokens } = familyOf(network.family).usualGas;
  return await deps.chains.of(network).costNow(isToken ? tokens : coins).catch(unknown);
}

export function roughly(raw: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, raw.toString().length - DIGITS));
  return (raw + unit / 2n) / unit * unit;
}
