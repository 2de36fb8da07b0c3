import { windowEnds } from "../../domain/states/deposit_request.ts";
import { Refused } from "../../domain/refusal.ts";
import { Addresses, DepositRequests } from "../../store/tables/addresses.ts";
import type { AddressRow, DepositRequestRow } from "../../store/tables/addresses.ts";
import { AccountCurrencies, Accounts } from "../../store/tables/setup.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { read, UniqueConflict, type View } from "../../store/engine/workspace.ts";
import { forgetIndexes, type FreshAddress, insertAddress } from "../wallets/addresses.ts";
import { once, signatureRead } from "../books/claim_signature.ts";
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

const RACES_MAX = 20;

/** Spec 4.4. A retry with the same idempotency key returns the original allocation. */
export async function allocateDepositAddress(
  deps: Deps,
  input: AllocateInput,
): Promise<Allocated> {
  const replay = await findReplay(deps, input);
  if (replay) await genuine(deps, DepositRequests, [replay]);
  if (replay) return { row: replay, isReplay: true };
  for (let race = 1;; race++) {
    try {
      return await allocate(deps, input);
    } catch (error) {
      if (!(error instanceof UniqueConflict || error instanceof PoolAddressTaken)) throw error;
      if (race === RACES_MAX) throw error;
      forgetIndexes(deps);
    }
  }
}

function findReplay(deps: Deps, { caller, idempotencyKey }: AllocateInput) {
  if (idempotencyKey === null) return undefined;
  return deps.db.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
}

async function allocate(deps: Deps, input: AllocateInput): Promise<Allocated> {
  const plan = await makePlan(deps, input);
  const { source } = plan;
  const { caller, idempotencyKey } = input;
  const outcome = await deps.db.write<Allocated | Refused>({
    reads: [
      read(DepositRequests, [caller.keyId, idempotencyKey], "idempotency"),
      read(AccountCurrencies, enablement(plan, input)),
      read(Accounts, [caller.accountId]),
      signatureRead(caller),
      ...source && "id" in source ? [read(Addresses, [source.id])] : [],
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
  { deps, ready, input }: { deps: Deps; ready: Ready; input: AllocateInput },
): DepositRequestRow {
  const { network, currency } = ready;
  const { caller: { accountId, keyId }, idempotencyKey, userIdentifier } = input;
  const nowMs = deps.clock.nowMs();
  const { reusableAtMs, ...ends } = windowEnds(deps.windows, nowMs);
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
