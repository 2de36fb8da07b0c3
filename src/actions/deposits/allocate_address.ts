import { windowEnds } from "../../domain/states/deposit_request.ts";
import { Refused } from "../../domain/refusal.ts";
import { Addresses, DepositRequests } from "../../store/tables/addresses.ts";
import type { AddressRow, DepositRequestRow } from "../../store/tables/addresses.ts";
import { AccountCurrencies, Accounts } from "../../store/tables/setup.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { read, UniqueConflict, type View } from "../../store/engine/workspace.ts";
import {
  checkDerivation,
  deriveFreshAddress,
  forgetIndexes,
  type FreshAddress,
  insertAddress,
} from "../wallets/addresses.ts";
import { once, signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { isSuspended } from "../books/stopped.ts";
import { genuine, isGenuine, mustBeGenuine, reportTampered, tampered } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";
import { idlePoolAddresses } from "../../store/reads/addresses.ts";
import { requestsAt } from "../../store/reads/deposits.ts";

interface AllocateInput {
  readonly caller: SignedCaller;
  readonly network: string;
  readonly currency: string;
  readonly userIdentifier: string | null;
  readonly idempotencyKey: string | null;
}

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

/** Another request took the pool address first. */
class PoolAddressTaken extends Error {}

function findReplay(deps: Deps, { caller, idempotencyKey }: AllocateInput) {
  if (idempotencyKey === null) return undefined;
  return deps.db.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
}

interface Plan {
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** An existing address of the account that can serve the request, or a newly derived one. */
  readonly existing: AddressRow | undefined;
  readonly fresh: FreshAddress | undefined;
}

async function allocate(deps: Deps, input: AllocateInput): Promise<Allocated> {
  const plan = await makePlan(deps, input);
  const { caller, idempotencyKey } = input;
  const outcome = await deps.db.write<Allocated | Refused>({
    reads: [
      read(DepositRequests, [caller.keyId, idempotencyKey], "idempotency"),
      read(AccountCurrencies, enablement(plan, input)),
      read(Accounts, [caller.accountId]),
      signatureRead(caller),
      ...plan.existing ? [read(Addresses, [plan.existing.id])] : [],
    ],
    decide: (view) => {
      const replay = idempotencyKey === null
        ? undefined
        : view.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
      if (replay) mustBeGenuine(view, DepositRequests, replay);
      if (replay) return { row: replay, isReplay: true };
      const row = once(
        view,
        { caller, reference: idempotencyKey },
        () => refusalOf(view, { plan, input }) ?? insertRequest(view, { deps, plan, input }),
      );
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}

async function makePlan(deps: Deps, input: AllocateInput): Promise<Plan> {
  const catalog = await deps.catalog.current();
  const network = catalog.network(input.network);
  const currency = network && catalog.currency(network.code, input.currency);
  if (!network?.isActive || !currency?.isActive) {
    return { network, currency, existing: undefined, fresh: undefined };
  }
  const existing = await findExisting(deps, input, network);
  if (existing && await isUsable(deps, { address: existing, input })) {
    checkDerivation(await deps.keyRing(), network, existing);
    return { network, currency, existing, fresh: undefined };
  }
  const enabled = await deps.db.find(AccountCurrencies, enablement({ network, currency }, input));
  const { accountId } = input.caller;
  const fresh = enabled?.isDepositEnabled
    ? await deriveFreshAddress(deps, { network, accountId, purpose: "deposit" })
    : undefined;
  return { network, currency, existing: undefined, fresh };
}

async function isUsable(
  deps: Deps,
  { address, input: { userIdentifier } }: { address: AddressRow; input: AllocateInput },
): Promise<boolean> {
  const isOurs = await isGenuine(deps, Addresses, address);
  if (userIdentifier === null) return isOurs && await isIdle(deps, address);
  if (!isOurs) throw tampered(Addresses, address);
  return true;
}

/**
 * Somebody may have changed in the database when an address becomes reusable; then another
 * customer's payment would be listed under this request.
 */
async function isIdle(deps: Deps, address: AddressRow): Promise<boolean> {
  const ever = { addressId: address.id, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const [[, lastId] = []] = await requestsAt(deps.db, [ever]);
  const last = lastId === undefined ? undefined : await deps.db.find(DepositRequests, [lastId]);
  if (!last) return true;
  if (!await isGenuine(deps, DepositRequests, last)) return false;
  const nowMs = deps.clock.nowMs();
  if (last.monitoredUntilMs <= nowMs) return true;
  const { reusableAtMs } = (await deps.db.find(Addresses, [address.id])) ?? address;
  if (reusableAtMs === null || reusableAtMs > nowMs) throw new PoolAddressTaken();
  await reportTampered(deps, tampered(Addresses, address));
  return false;
}

/** A sticky identifier has its own. Otherwise any idle pool address, chosen at random to avoid races. */
async function findExisting(deps: Deps, input: AllocateInput, network: NetworkRow) {
  const { caller, userIdentifier } = input;
  if (userIdentifier !== null) {
    return await deps.db.find(
      Addresses,
      [caller.accountId, network.code, userIdentifier],
      "sticky",
    );
  }
  const idle = await idlePoolAddresses(deps.db, {
    accountId: caller.accountId,
    network: network.code,
    nowMs: deps.clock.nowMs(),
  });
  return idle[Math.floor(Math.random() * idle.length)];
}

function refusalOf(
  view: View,
  { plan, input }: { plan: Plan; input: AllocateInput },
): Refused | undefined {
  if (!plan.network?.isActive) return new Refused("network_not_found");
  if (!plan.currency?.isActive) return new Refused("currency_not_found");
  const enabled = view.find(AccountCurrencies, enablement(plan, input));
  if (!enabled?.isDepositEnabled) return new Refused("deposits_disabled");
  if (isSuspended(view, input.caller.accountId)) return new Refused("account_suspended");
  if (!plan.existing && !plan.fresh) throw new PoolAddressTaken();
  return undefined;
}

function insertRequest(
  view: View,
  { deps, plan, input }: { deps: Deps; plan: Plan; input: AllocateInput },
): DepositRequestRow {
  const nowMs = deps.clock.nowMs();
  const ends = windowEnds(deps.windows, nowMs);
  const address = addressFor(view, { plan, input, nowMs, reusableAtMs: ends.reusableAtMs });
  const request = view.insert(DepositRequests, {
    accountId: input.caller.accountId,
    keyId: input.caller.keyId,
    idempotencyKey: input.idempotencyKey,
    network: plan.network!.code,
    currency: plan.currency!.symbol,
    contractAddress: plan.currency!.contractAddress,
    addressId: address.id,
    address: address.address,
    userIdentifier: input.userIdentifier,
    displayExpiresAtMs: ends.displayExpiresAtMs,
    monitoredUntilMs: ends.monitoredUntilMs,
    createdAtMs: nowMs,
  });
  view.update(Addresses, address, {
    currentRequestId: request.id,
    reusableAtMs: input.userIdentifier === null ? ends.reusableAtMs : address.reusableAtMs,
  });
  return request;
}

function addressFor(
  view: View,
  { plan, input, nowMs, reusableAtMs }: {
    plan: Plan;
    input: AllocateInput;
    nowMs: number;
    reusableAtMs: number;
  },
): AddressRow {
  if (!plan.existing) {
    return insertAddress(view, {
      network: plan.network!,
      accountId: input.caller.accountId,
      purpose: "deposit",
      ...plan.fresh!,
      ...(input.userIdentifier === null
        ? { reusableAtMs }
        : { userIdentifier: input.userIdentifier }),
      nowMs,
    });
  }
  const address = view.get(Addresses, [plan.existing.id]);
  const isFree = input.userIdentifier !== null || address.reusableAtMs! <= nowMs;
  if (!isFree) throw new PoolAddressTaken();
  mustBeGenuine(view, Addresses, address);
  return address;
}

function enablement(
  plan: { network: NetworkRow | undefined; currency: CurrencyRow | undefined },
  input: AllocateInput,
) {
  return [input.caller.accountId, plan.network?.code ?? "", plan.currency?.symbol ?? ""];
}
