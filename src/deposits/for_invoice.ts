import { GRACE_MS } from "../invoices/rules/judge.ts";
import { windowEnds } from "./rules/deposit_request.ts";
import { Refused } from "../domain/refusal.ts";
import { Addresses, type DepositRequestRow, DepositRequests } from "../wallets/tables/addresses.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  type InvoiceRow,
  Invoices,
} from "../invoices/tables/invoices.ts";
import { type Read, read, type View } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";
import {
  allowedIn,
  insertRequest,
  type Ready,
  readyOf,
  sourceReads,
  untilUncontested,
} from "./_allot.ts";
import { type AllocateInput, makePlan, type Plan, PoolAddressTaken } from "./_plan_allocation.ts";

interface Asset {
  readonly network: string;
  readonly currency: string;
}

function inputOf(caller: AllocateInput["caller"], asset: Asset): AllocateInput {
  return { caller, ...asset, userIdentifier: null, idempotencyKey: null };
}

/** An address for an invoice that the same unit makes. */
export interface AddressToGive {
  readonly reads: readonly Read[];
  /** Before anything is written: a refusal leaves nothing. */
  prepare(view: View): ((invoice: InvoiceRow) => GivenAddress) | Refused;
}

export interface GivenAddress {
  readonly address: InvoiceAddressRow;
  readonly request: DepositRequestRow;
}

/** Another try, with another address, whenever others were faster. */
export function withAddress<T>(
  deps: Deps,
  { caller, asset }: { caller: AllocateInput["caller"]; asset: Asset },
  work: (given: AddressToGive) => Promise<T>,
): Promise<T> {
  const input = inputOf(caller, asset);
  return untilUncontested(deps, async () => {
    const plan = await makePlan(deps, input);
    return await work({
      reads: sourceReads(plan, input),
      prepare: (view) => {
        const ready = readyOf(view, { plan, input });
        if (ready instanceof Refused) return ready;
        return (invoice) => {
          const openUntilMs = invoice.expiresAtMs + GRACE_MS;
          return insertGiven(view, { deps, invoice, ready, input, openUntilMs });
        };
      },
    });
  });
}

/**
 * An invoice has one address on each network, which nobody else gets while it is open. Each coin that
 * is chosen there has a request of its own.
 */
export async function allocateForInvoice(
  deps: Deps,
  { invoice, isByPayer, ...asset }: {
    invoice: InvoiceRow;
    network: string;
    currency: string;
    /** What payers cause isn't counted for the account. */
    isByPayer: boolean;
  },
): Promise<InvoiceAddressRow> {
  const { accountId, keyId } = invoice;
  const input = inputOf({ accountId, keyId }, asset);
  const outcome = await untilUncontested(deps, async () => {
    const plan = await makePlan(deps, input);
    const code = plan.network?.code ?? "";
    const key = [invoice.id, code];
    const before = await deps.db.find(InvoiceAddresses, key);
    const symbols = symbolsOn(invoice, code);
    return await deps.db.write({
      reads: [
        ...[read(Invoices, [invoice.id]), read(InvoiceAddresses, key)],
        ...before ? keptReads(before, symbols) : [],
        ...sourceReads(plan, input),
      ],
      decide: (view) => {
        if (isByPayer) view.countAs("none");
        const { expiresAtMs } = view.get(Invoices, [invoice.id]);
        const openUntilMs = Math.max(expiresAtMs, deps.clock.nowMs()) + GRACE_MS;
        const known = view.find(InvoiceAddresses, key);
        if (known?.addressId !== before?.addressId) throw new PoolAddressTaken();
        const { windows } = deps;
        if (known && keepAddress(view, { windows, given: known, symbols, openUntilMs })) {
          return shareAddress(view, { deps, given: known, plan, input }) ?? known;
        }
        const ready = readyOf(view, { plan, input });
        if (ready instanceof Refused) return ready;
        return insertGiven(view, { deps, invoice, ready, input, openUntilMs }).address;
      },
    });
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

function insertGiven(
  view: View,
  { invoice, ...given }: {
    deps: Deps;
    invoice: InvoiceRow;
    ready: Ready;
    input: AllocateInput;
    openUntilMs: number;
  },
): GivenAddress {
  const request = insertRequest(view, given);
  const address = view.insertKeyed(InvoiceAddresses, {
    invoiceId: invoice.id,
    network: request.network,
    addressId: request.addressId,
    address: request.address,
    depositRequestId: request.id,
    allocatedAtMs: request.createdAtMs,
  });
  return { address, request };
}

/** Another coin to the same address, for as long as the first one. */
function shareAddress(
  view: View,
  { deps, given, plan, input }: {
    deps: Deps;
    given: InvoiceAddressRow;
    plan: Plan;
    input: AllocateInput;
  },
): Refused | undefined {
  const first = view.get(DepositRequests, [given.depositRequestId]);
  const symbol = plan.currency?.symbol ?? input.currency;
  if (first.currency === symbol || sharedIn(view, { given, symbol })) return undefined;
  const allowed = allowedIn(view, { plan, input });
  if (allowed instanceof Refused) return allowed;
  const { id: sharedWithId, ...shared } = first;
  view.insert(DepositRequests, {
    ...shared,
    currency: allowed.currency.symbol,
    contractAddress: allowed.currency.contractAddress,
    createdAtMs: deps.clock.nowMs(),
    sharedWithId,
  });
  return undefined;
}

function sharedIn(
  view: View,
  { given, symbol }: { given: InvoiceAddressRow; symbol: string },
): DepositRequestRow | undefined {
  const request = view.find(DepositRequests, [given.depositRequestId, symbol], "shared");
  return request;
}

/** The invoice's coins on this network. */
export function symbolsOn({ methods }: Pick<InvoiceRow, "methods">, network: string): string[] {
  return methods.filter((method) => method.network === network).map(({ currency }) => currency);
}

export function keptReads(
  { addressId, depositRequestId }: InvoiceAddressRow,
  symbols: readonly string[],
): Read[] {
  return [
    read(Addresses, [addressId]),
    read(DepositRequests, [depositRequestId]),
    ...symbols.map((symbol) => read(DepositRequests, [depositRequestId, symbol], "shared")),
  ];
}

/** False if others got the address meanwhile: then the invoice gives it up. */
export function keepAddress(
  view: View,
  { windows, given, symbols, openUntilMs }: {
    windows: Deps["windows"];
    given: InvoiceAddressRow;
    /** Of the invoice's coins on the network. */
    symbols: readonly string[];
    openUntilMs: number;
  },
): boolean {
  const address = view.get(Addresses, [given.addressId]);
  const request = view.get(DepositRequests, [given.depositRequestId]);
  if (address.currentRequestId !== request.id) {
    view.remove(InvoiceAddresses, given);
    return false;
  }
  const { reusableAtMs, ...ends } = windowEnds(windows, openUntilMs);
  if (reusableAtMs <= (address.reusableAtMs ?? 0)) return true;
  const shared = symbols.flatMap((symbol) => sharedIn(view, { given, symbol }) ?? []);
  for (const one of [request, ...shared]) view.update(DepositRequests, one, ends);
  view.update(Addresses, address, { reusableAtMs });
  return true;
}
