import { GRACE_MS } from "../../domain/invoices/judge.ts";
import { windowEnds } from "../../domain/states/deposit_request.ts";
import { Refused } from "../../domain/refusal.ts";
import { Addresses, DepositRequests } from "../../store/tables/addresses.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  type InvoiceRow,
  Invoices,
} from "../../store/tables/checkout/invoices.ts";
import { type Read, read, type View } from "../../store/engine/workspace.ts";
import { mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { insertRequest, type Ready, readyOf, sourceReads, untilUncontested } from "./_allot.ts";
import { type AllocateInput, makePlan, PoolAddressTaken } from "./_plan_allocation.ts";

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
  prepare(view: View): ((invoice: InvoiceRow) => InvoiceAddressRow) | Refused;
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

/** An invoice has one address on each network, which nobody else gets while it is open. */
export async function allocateForInvoice(
  deps: Deps,
  { invoice, ...asset }: { invoice: InvoiceRow; network: string; currency: string },
): Promise<InvoiceAddressRow> {
  const { accountId, keyId } = invoice;
  const input = inputOf({ accountId, keyId }, asset);
  const outcome = await untilUncontested(deps, async () => {
    const plan = await makePlan(deps, input);
    const key = [invoice.id, plan.network?.code ?? ""];
    const before = await deps.db.find(InvoiceAddresses, key);
    return await deps.db.write({
      reads: [
        ...[read(Invoices, [invoice.id]), read(InvoiceAddresses, key)],
        ...before ? keptReads(before) : [],
        ...sourceReads(plan, input),
      ],
      decide: (view) => {
        const { expiresAtMs } = view.get(Invoices, [invoice.id]);
        const openUntilMs = Math.max(expiresAtMs, deps.clock.nowMs()) + GRACE_MS;
        const known = view.find(InvoiceAddresses, key);
        if (known?.addressId !== before?.addressId) throw new PoolAddressTaken();
        if (known && keepAddress(view, { windows: deps.windows, given: known, openUntilMs })) {
          return known;
        }
        const ready = readyOf(view, { plan, input });
        if (ready instanceof Refused) return ready;
        return insertGiven(view, { deps, invoice, ready, input, openUntilMs });
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
): InvoiceAddressRow {
  const request = insertRequest(view, given);
  return view.insertKeyed(InvoiceAddresses, {
    invoiceId: invoice.id,
    network: request.network,
    addressId: request.addressId,
    address: request.address,
    depositRequestId: request.id,
    allocatedAtMs: request.createdAtMs,
  });
}

export function keptReads({ addressId, depositRequestId }: InvoiceAddressRow): Read[] {
  return [read(Addresses, [addressId]), read(DepositRequests, [depositRequestId])];
}

/** False if others got the address meanwhile: then the invoice gives it up. */
export function keepAddress(
  view: View,
  { windows, given, openUntilMs }: {
    windows: Deps["windows"];
    given: InvoiceAddressRow;
    openUntilMs: number;
  },
): boolean {
  const address = view.get(Addresses, [given.addressId]);
  const request = view.get(DepositRequests, [given.depositRequestId]);
  mustBeGenuine(view, InvoiceAddresses, given);
  mustBeGenuine(view, DepositRequests, request);
  mustBeGenuine(view, Addresses, address);
  if (address.currentRequestId !== request.id) {
    view.remove(InvoiceAddresses, given);
    return false;
  }
  const { reusableAtMs, ...ends } = windowEnds(windows, openUntilMs);
  if (reusableAtMs <= (address.reusableAtMs ?? 0)) return true;
  view.update(DepositRequests, request, ends);
  view.update(Addresses, address, { reusableAtMs });
  return true;
}
