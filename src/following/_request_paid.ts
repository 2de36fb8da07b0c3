import { at } from "../base/lists.ts";
import { insertAlert } from "../books/alerts.ts";
import { isGenuine } from "../books/tampered.ts";
import { invoiceOfRequest } from "../books/transaction_rows.ts";
import type { BlockRef } from "../chains/chain.ts";
import { latestRequests, requestsAt } from "../deposits/reads/deposits.ts";
import { paidSpan } from "../deposits/rules/deposit_request.ts";
import type { TransactionRow } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { type AddressRow, DepositRequests } from "../wallets/tables/addresses.ts";

interface Paid {
  readonly address: AddressRow;
  readonly currency: CurrencyRow;
  readonly block: Pick<BlockRef, "height"> & { readonly atMs: number };
}

/** The request a payment is listed under. */
export interface RequestPaid {
  readonly requestId: number | null;
  /** The invoice that had the address then, whatever the currency. */
  readonly invoiceId: number | null;
  /** Two requests, either of which may have had the address then. */
  readonly rivals: readonly [before: number, after: number] | null;
}

type Owned = Omit<RequestPaid, "invoiceId"> & {
  /** The request that had the address then, whatever its currency. */
  readonly ownerId: number | null;
};

const NONE: Owned = { requestId: null, ownerId: null, rivals: null };

/** In the order asked. A sticky address has one user; a pool address has one after the other. */
export async function requestsPaid(
  deps: Deps,
  { network, paid }: { network: NetworkRow; paid: readonly Paid[] },
): Promise<RequestPaid[]> {
  const isSticky = ({ address }: Paid) => address.userIdentifier !== null;
  const latest = await latestRequests(
    deps.db,
    paid.filter(isSticky)
      .map(({ address, currency }) => ({ addressId: address.id, currency: currency.symbol })),
  );
  const pool = await poolRequestsPaid(deps, {
    network,
    paid: paid.filter((one) => !isSticky(one)),
  });
  return await Promise.all(paid.map(async (one) => {
    const requestId = latest.get(`${one.address.id}/${one.currency.symbol}`) ?? null;
    const { ownerId, ...found } = isSticky(one) ? { ...NONE, requestId } : pool.get(one) ?? NONE;
    const invoice = ownerId === null ? undefined : await invoiceOfRequest(deps, ownerId);
    const paid = { ...found, invoiceId: invoice?.invoiceId ?? null };
    return await isOurs(deps, { one, requestId: paid.requestId ?? (invoice ? ownerId : null) })
      ? paid
      : { requestId: null, invoiceId: null, rivals: null };
  }));
}

/** A request that somebody else wrote belongs to nobody. */
async function isOurs(
  deps: Deps,
  { one, requestId }: { one: Paid; requestId: number | null },
): Promise<boolean> {
  const row = requestId === null ? undefined : await deps.db.find(DepositRequests, [requestId]);
  return !row || (row.addressId === one.address.id && await isGenuine(deps, DepositRequests, row));
}

async function poolRequestsPaid(
  deps: Deps,
  { network, paid }: { network: NetworkRow; paid: readonly Paid[] },
): Promise<ReadonlyMap<Paid, Owned>> {
  if (paid.length === 0) return new Map();
  const owners = await ownersWhenPaid(deps, { network, paid });
  const ids = new Set(owners.flat());
  const rows = await Promise.all([...ids].map((id) => deps.db.find(DepositRequests, [id])));
  const currencies = new Map(rows.map((row) => [row?.id, row?.currency]));
  const found = await Promise.all(paid.map(async (one, i): Promise<Owned> => {
    const [before, after] = owners[i] ?? [];
    if (before === undefined || after === undefined) return NONE;
    if (before !== after) return { ...NONE, rivals: [before, after] };
    const { symbol } = one.currency;
    if (currencies.get(before) === symbol) return { ...NONE, ownerId: before, requestId: before };
    const shared = await deps.db.find(DepositRequests, [before, symbol], "shared");
    return { ...NONE, ownerId: before, requestId: shared?.id ?? null };
  }));
  return new Map(paid.map((one, i) => [one, at(found, i)]));
}

type Owners = readonly [before: number, after: number] | readonly [];

/** The chain's clock matters only for addresses that were given more than once. */
async function ownersWhenPaid(
  deps: Deps,
  { network, paid }: { network: NetworkRow; paid: readonly Paid[] },
): Promise<readonly Owners[]> {
  const asked = paid.map(({ address }) => ({ addressId: address.id, ...EVER }));
  const ever = await requestsAt(deps.db, asked);
  if (ever.every(([first, last]) => first === last)) return ever;
  const { atMs } = await deps.chains.of(network).tip();
  const tipAgeMs = deps.clock.nowMs() - atMs;
  return await requestsAt(
    deps.db,
    paid.map(({ address, block }) => ({
      addressId: address.id,
      ...paidSpan({ blockAtMs: block.atMs, tipAgeMs }),
    })),
  );
}

const EVER = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };

/** The account is credited anyway, but only people can tell whose customer paid. */
export function alertUnclear(
  view: View,
  { row, rivals, nowMs }: { row: TransactionRow; rivals: RequestPaid["rivals"]; nowMs: number },
): void {
  if (!rivals) return;
  const { amount, currency, network, txHash, toAddress } = row;
  const [before, after] = rivals;
  insertAlert(view, {
    kind: "deposit_unlisted",
    subject: txHash,
    message: `${amount} ${currency} came to ${toAddress} on ${network} around the time when that ` +
      `address was handed from request ${before} to request ${after}. It is credited to the ` +
      `account, but listed under neither request (${txHash})`,
    nowMs,
  });
}
