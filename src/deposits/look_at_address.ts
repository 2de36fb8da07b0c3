import { findNetwork } from "../books/find.ts";
import { lately } from "../books/lately.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** What the node says is on an address, whether or not its blocks have been read. */
export interface AddressLook {
  readonly height: number;
  /** Of each currency. */
  readonly held: readonly { readonly symbol: string; readonly amount: Amount }[];
}

/** Too many different addresses were looked at within a minute. */
export const TOO_MANY = "too many";
const LOOKS_OF_ACCOUNT_MAX = 20;
const MINUTE_MS = 60_000;
const CURRENCIES_MAX = 50;

/**
 * Asks the node once in a while for each address, and for few addresses of an account, however often
 * somebody presses the button. Undefined if no node answers in time.
 */
export async function lookAtAddress(
  deps: Deps,
  { row, waitMs }: { row: AddressRow; waitMs: number },
): Promise<AddressLook | typeof TOO_MANY | undefined> {
  const network = await findNetwork(deps, row.network);
  const prefix = `address of ${row.accountId}: `;
  const key = `${prefix}${row.id}`;
  const { memory: { looks }, clock } = deps;
  const sinceMs = clock.nowMs() - MINUTE_MS;
  const recent = [...looks].filter(([one, { atMs }]) => one.startsWith(prefix) && atMs > sinceMs);
  if (!looks.has(key) && recent.length >= LOOKS_OF_ACCOUNT_MAX) return TOO_MANY;
  const { currencies } = await deps.catalog.current();
  const listed = currencies.filter((one) => one.network === network.code).slice(0, CURRENCIES_MAX);
  return await lately(deps, { key, waitMs, look: () => ask(deps, { row, network, listed }) });
}

async function ask(
  deps: Deps,
  { row, network, listed }: {
    row: AddressRow;
    network: NetworkRow;
    listed: readonly CurrencyRow[];
  },
): Promise<AddressLook | undefined> {
  const asked = listed.map(({ contractAddress: contract }) => ({ address: row.address, contract }));
  const chain = deps.chains.of(network);
  try {
    const tip = await chain.tip();
    const raws = await chain.balancesAt(tip, asked);
    const held = listed.map((currency, i) => ({
      symbol: currency.symbol,
      amount: Amount.fromRaw(raws[i] ?? 0n, {
        asset: assetOf({ network: network.code, currency: currency.symbol }),
        decimals: currency.decimals,
      }),
    }));
    return { height: tip.height, held };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
