import { OperatorError } from "../../domain/refusal.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../store/tables/following.ts";
import { Accounts, Currencies, Networks } from "../../store/tables/setup.ts";
import type { AccountRow, CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import type { Deps } from "../deps.ts";
import { genuine } from "./tampered.ts";

export async function findNetwork(deps: Deps, code: string): Promise<NetworkRow> {
  const network = (await deps.catalog.current()).network(code);
  if (!network) throw new OperatorError(`There is no network ${code}: see "network list"`);
  await genuine(deps, Networks, [network]);
  return network;
}

export async function findCurrency(
  deps: Deps,
  { network, symbol }: { network: string; symbol: string },
): Promise<CurrencyRow> {
  const { code } = await findNetwork(deps, network);
  const currency = (await deps.catalog.current()).currency(code, symbol);
  if (!currency) throw new OperatorError(`${code} has no currency ${symbol}: see "currency list"`);
  await genuine(deps, Currencies, [currency]);
  return currency;
}

export async function cursorOf(deps: Deps, network: NetworkRow): Promise<NetworkCursorRow> {
  return await deps.db.get(NetworkCursors, [network.code]);
}

export async function findAccount(deps: Deps, id: number): Promise<AccountRow> {
  const account = await deps.db.find(Accounts, [id]);
  if (!account) throw new OperatorError(`There is no account ${id}: see "account list"`);
  return account;
}
