import { PAY_IN } from "../accounts/rules/usable.ts";
import { AccountCurrencies } from "../accounts/tables/accounts.ts";
import type { SignedCaller } from "../books/claim_signature.ts";
import { isGenuine, reportTampered } from "../books/tampered.ts";
import { requestsAt } from "./reads/deposits.ts";
import type { Deps } from "../deps/deps.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import {
  checkSource,
  deriveFreshAddress,
  type FreshAddress,
  type NextOfXpub,
  nextOfXpub,
  xpubKeys,
} from "../wallets/addresses.ts";
import { type OwnWallet, ownWalletOf } from "../accounts/own_wallet.ts";
import { idlePoolAddresses } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow, DepositRequests } from "../wallets/tables/addresses.ts";

export interface AllocateInput {
  readonly caller: Pick<SignedCaller, "accountId" | "keyId">;
  readonly network: string;
  readonly currency: string;
  readonly userIdentifier: string | null;
  readonly idempotencyKey: string | null;
}

export interface Plan {
  readonly network: NetworkRow | undefined;
  readonly currency: CurrencyRow | undefined;
  /** An existing address of the account that can serve the request, or a newly derived one. */
  readonly source: AddressRow | FreshAddress | NextOfXpub | undefined;
  /** Undefined: what comes in is swept. */
  readonly receiver: OwnWallet | undefined;
}

/** Another request took the pool address first. */
export class PoolAddressTaken extends Error {}

export async function makePlan(deps: Deps, input: AllocateInput): Promise<Plan> {
  const catalog = await deps.catalog.current();
  const network = catalog.network(input.network);
  const currency = network && catalog.currency(network.code, input.currency);
  if (!network?.isActive || !currency?.isActive) {
    return { network, currency, source: undefined, receiver: undefined };
  }
  const receiver = await ownWalletOf(deps, { network, accountId: input.caller.accountId });
  const existing = await findExisting(deps, input, { network, receiver });
  if (existing && await isUsable(deps, { address: existing, input })) {
    await checkSource(deps, { network, row: existing });
    return { network, currency, source: existing, receiver };
  }
  const enabled = await deps.db.find(AccountCurrencies, enablement({ network, currency }, input));
  const { accountId } = input.caller;
  const fresh = () =>
    receiver
      ? nextOfXpub(deps, { network, ...receiver })
      : deriveFreshAddress(deps, { network, accountId, purpose: "deposit" });
  const source = PAY_IN.isOn(enabled) ? await fresh() : undefined;
  return { network, currency, source, receiver };
}

/** A sticky identifier has its own. Otherwise any idle pool address, chosen at random to avoid races. */
async function findExisting(
  deps: Deps,
  input: AllocateInput,
  { network, receiver }: { network: NetworkRow; receiver: OwnWallet | undefined },
) {
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
    // What another source gave is no longer given out.
    xpub: receiver ? xpubKeys(network, receiver) : null,
    nowMs: deps.clock.nowMs(),
  });
  return idle[Math.floor(Math.random() * idle.length)];
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

export function enablement(
  plan: { network: NetworkRow | undefined; currency: CurrencyRow | undefined },
  input: AllocateInput,
) {
  return [input.caller.accountId, plan.network?.code ?? "", plan.currency?.symbol ?? ""];
}
