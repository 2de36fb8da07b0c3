import { GRACE_MS } from "../../domain/invoices/judge.ts";
import { windowEnds } from "../../domain/states/deposit_request.ts";
import { Refused } from "../../domain/refusal.ts";
import { Addresses, DepositRequests } from "../../store/tables/addresses.ts";
import type { AddressRow, DepositRequestRow } from "../../store/tables/addresses.ts";
import {
  InvoiceAddresses,
  type InvoiceAddressRow,
  type InvoiceRow,
  Invoices,
} from "../../store/tables/checkout/invoices.ts";
import { AccountCurrencies, Accounts } from "../../store/tables/setup.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { type Read, read, UniqueConflict, type View } from "../../store/engine/workspace.ts";
import { forgetIndexes, type FreshAddress, insertAddress } from "../wallets/addresses.ts";
import { once, signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { isSuspended } from "../books/stopped.ts";
import { genuine, mustBeGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import {
  type AllocateInput,
  enablement,
  makePlan,
  type Plan,
  PoolAddressTaken,
} from "./_plan_allocation.ts";

interface Allocated {
  readonly row: DepositRequestRow;
  /** True if an earlier request with this idempotency key created it. */
  readonly isReplay: boolean;
}

interface SignedInput extends AllocateInput {
  readonly caller: SignedCaller;
}

const RACES_MAX = 20;

/** Spec 4.4. A retry with the same idempotency key returns the original allocation. */
export async function allocateDepositAddress(
  deps: Deps,
  input: SignedInput,
): Promise<Allocated> {
  const replay = await findReplay(deps, input);
  if (replay) await genuine(deps, DepositRequests, [replay]);
  if (replay) return { row: replay, isReplay: true };
  return await untilUncontested(deps, () => allocate(deps, input));
}

/** Others may take the address that was chosen. */
async function untilUncontested<T>(deps: Deps, attempt: () => Promise<T>): Promise<T> {
  for (let race = 1;; race++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UniqueConflict || error instanceof PoolAddressTaken)) throw error;
      if (race === RACES_MAX) throw error;
      forgetIndexes(deps);
    }
  }
}

/** An invoice has one address on each network, which nobody else gets while it is open. */
export async function allocateForInvoice(
  deps: Deps,
  { invoice, ...asset }: { invoice: InvoiceRow; network: string; currency: string },
): Promise<InvoiceAddressRow> {
  const { accountId, keyId } = invoice;
  const caller = { accountId, keyId };
  const input = { caller, ...asset, userIdentifier: null, idempotencyKey: null };
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
        const request = insertRequest(view, { deps, ready, input, openUntilMs });
        return view.insertKeyed(InvoiceAddresses, {
          invoiceId: invoice.id,
          network: request.network,
          addressId: request.addressId,
          address: request.address,
          depositRequestId: request.id,
          allocatedAtMs: request.createdAtMs,
        });
      },
    });
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
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

function sourceReads(plan: Plan, input: AllocateInput): Read[] {
  const { source } = plan;
  return [
    read(AccountCurrencies, enablement(plan, input)),
    read(Accounts, [input.caller.accountId]),
    ...source && "id" in source ? [read(Addresses, [source.id])] : [],
  ];
}

function findReplay(deps: Deps, { caller, idempotencyKey }: AllocateInput) {
  if (idempotencyKey === null) return undefined;
  return deps.db.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
}

async function allocate(deps: Deps, input: SignedInput): Promise<Allocated> {
  const plan = await makePlan(deps, input);
  const { caller, idempotencyKey } = input;
  const outcome = await deps.db.write<Allocated | Refused>({
    reads: [
      read(DepositRequests, [caller.keyId, idempotencyKey], "idempotency"),
      signatureRead(caller),
      ...sourceReads(plan, input),
    ],
    decide: (view) => {
      const replay = idempotencyKey === null
        ? undefined
        : view.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
      if (replay) mustBeGenuine(view, DepositRequests, replay);
      if (replay) return { row: replay, isReplay: true };
      const row = once(view, { caller, reference: idempotencyKey }, () => {
        const ready = readyOf(view, { plan, input });
        return ready instanceof Refused ? ready : insertRequest(view, { deps, ready, input });
      });
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

interface Ready {
  readonly network: NetworkRow;
  readonly currency: CurrencyRow;
  readonly source: AddressRow | FreshAddress;
}

function readyOf(
  view: View,
  { plan, input }: { plan: Plan; input: AllocateInput },
): Ready | Refused {
  const { network, currency, source } = plan;
  if (!network?.isActive) return new Refused("network_not_found");
  if (!currency?.isActive) return new Refused("currency_not_found");
  const enabled = view.find(AccountCurrencies, enablement(plan, input));
  if (!enabled?.isDepositEnabled) return new Refused("deposits_disabled");
  if (isSuspended(view, input.caller.accountId)) return new Refused("account_suspended");
  if (!source) throw new PoolAddressTaken();
  return { network, currency, source };
}

function insertRequest(
  view: View,
  { deps, ready, input, openUntilMs }: {
    deps: Deps;
    ready: Ready;
    input: AllocateInput;
    openUntilMs?: number;
  },
): DepositRequestRow {
  const { network, currency } = ready;
  const { caller: { accountId, keyId }, idempotencyKey, userIdentifier } = input;
  const nowMs = deps.clock.nowMs();
  const { reusableAtMs, ...ends } = windowEnds(deps.windows, openUntilMs ?? nowMs);
  const address = addressFor(view, { ready, input, nowMs });
  const request = view.insert(DepositRequests, {
    accountId,
    keyId,
    idempotencyKey,
    network: network.code,
    currency: currency.symbol,
    contractAddress: currency.contractAddress,
    addressId: address.id,
    address: address.address,
    userIdentifier,
    ...ends,
    createdAtMs: nowMs,
  });
  view.update(Addresses, address, {
    currentRequestId: request.id,
    reusableAtMs: userIdentifier === null ? reusableAtMs : address.reusableAtMs,
  });
  return request;
}

function addressFor(
  view: View,
  { ready: { network, source }, input: { caller: { accountId }, userIdentifier }, nowMs }: {
    ready: Ready;
    input: AllocateInput;
    nowMs: number;
  },
): AddressRow {
  if (!("id" in source)) {
    const owned = { network, accountId, userIdentifier, purpose: "deposit" } as const;
    return insertAddress(view, { ...owned, ...source, nowMs });
  }
  const address = view.get(Addresses, [source.id]);
  const isFree = userIdentifier !== null || (address.reusableAtMs ?? 0) <= nowMs;
  if (!isFree) throw new PoolAddressTaken();
  mustBeGenuine(view, Addresses, address);
  return address;
}
