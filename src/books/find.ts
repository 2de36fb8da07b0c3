import { type AccountRow, Accounts } from "../accounts/tables/accounts.ts";
import { genuine } from "./tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import {
  type NetworkBlockRow,
  NetworkBlocks,
  type NetworkCursorRow,
  NetworkCursors,
} from "../following/table.ts";
import { Currencies, type CurrencyRow, type NetworkRow, Networks } from "../networks/table.ts";

export async function findNetwork(deps: Deps, code: string): Promise<NetworkRow> {
  const network = (await deps.catalog.current()).network(code);
  if (!network) throw refuse("network_unknown", { code });
  await genuine(deps, Networks, [network]);
  return network;
}

export async function findCurrency(
  deps: Deps,
  { network, symbol }: { network: string; symbol: string },
): Promise<CurrencyRow> {
  const { code } = await findNetwork(deps, network);
  const currency = (await deps.catalog.current()).currency(code, symbol);
  if (!currency) throw refuse("currency_unknown", { network: code, symbol });
  await genuine(deps, Currencies, [currency]);
  return currency;
}

export async function cursorOf(deps: Deps, network: NetworkRow): Promise<NetworkCursorRow> {
  return await deps.db.get(NetworkCursors, [network.code]);
}

/** The newest block that was read; undefined before the first. */
export async function newestRead(
  { db }: Pick<Deps, "db">,
  { code }: NetworkRow,
): Promise<NetworkBlockRow | undefined> {
  const { scanHeight } = await db.get(NetworkCursors, [code]);
  return await db.find(NetworkBlocks, [code, scanHeight]);
}

export async function findAccount(deps: Deps, id: number): Promise<AccountRow> {
  const account = await deps.db.find(Accounts, [id]);
  if (!account) throw refuse("account_unknown", { id });
  return account;
}
