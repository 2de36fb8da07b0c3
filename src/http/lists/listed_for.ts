import { anyAddress } from "../../chains/any_address.ts";
import type { Deps } from "../../actions/deps.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import type { Listed } from "../../store/reads/lists/listed.ts";
import * as fields from "./fields.ts";
import * as wire from "../wire.ts";

/** What every list can be filtered by. */
export const FILTERS = {
  network: wire.NetworkFilter.optional(),
  currency: wire.CurrencyFilter.optional(),
  from: fields.from,
  until: fields.until,
};

interface Asked {
  readonly accountId: number;
  readonly network?: string | undefined;
  readonly currency?: string | undefined;
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  readonly cursor: number | null;
  readonly limit: number;
}

/** Codes match in any case; an unknown code matches nothing. */
export async function listedFor({ catalog, memory }: Deps, asked: Asked): Promise<Listed> {
  const { accountId, network, currency, from, until, cursor, limit } = asked;
  const { currencies } = await catalog.current();
  const isMatch = (wanted: string | undefined, code: string) =>
    wanted === undefined || wanted.toLowerCase() === code.toLowerCase();
  return {
    spans: memory.idSpans,
    accountId,
    assets: currencies.filter((one) =>
      isMatch(network, one.network) && isMatch(currency, one.symbol)
    ),
    isAssetChosen: network !== undefined || currency !== undefined,
    fromMs: from ?? null,
    untilMs: until ?? null,
    cursor,
    limit,
  };
}

/** The account's deposit addresses that match both; null if neither is given. */
export async function addressIdsFor(
  { db, catalog }: Deps,
  { accountId, address: text, user }: {
    accountId: number;
    address: string | undefined;
    user: string | undefined;
  },
): Promise<number[] | null> {
  if (text === undefined && user === undefined) return null;
  const address = text === undefined ? undefined : anyAddress(text);
  const { networks } = await catalog.current();
  const found = await Promise.all(networks.map(({ code, family }) => {
    if (!address) return db.find(Addresses, [accountId, code, user!], "sticky");
    if (address.family !== family) return undefined;
    return db.find(Addresses, [code, address.canonical], "address");
  }));
  return found.flatMap((row) => {
    const isOurs = row?.accountId === accountId && row.purpose === "deposit" &&
      (user === undefined || row.userIdentifier === user);
    return isOurs ? [row.id] : [];
  });
}
