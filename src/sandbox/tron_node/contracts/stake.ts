import { type Account, slotIn, type Stakes } from "../account.ts";
import { type Accounts, weightKey } from "../accounts.ts";
import { type HexAddress, isHexAddress, toBase58Check } from "../addresses.ts";
import { int64In, type Message } from "../api/values.ts";
import { ContractValidation } from "../failures.ts";
import {
  increase,
  limitOf,
  type Resource,
  stakeOf,
  SUN_PER_TRX,
  takeOver,
  type Total,
  usedNow,
} from "../resources.ts";
import type { World } from "../world.ts";

const UNFREEZING_MAX = 32;
const DAY_MS = 86_400_000;

interface Staking {
  /** Throws in the words of java-tron's actuator. */
  check(world: World, value: Message): void;
  /** Returns the sun that came back from an earlier unfreezing. */
  run(world: World, value: Message): bigint | void;
}

/** Stake 2.0: what its contracts check and do. Locked loans aren't simulated. */
export const STAKING: Readonly<Record<string, Staking>> = {
  FreezeBalanceV2Contract: {
    check: ({ accounts }, value) => {
      const { account } = ownerIn(accounts, value);
      const sun = int64In(value.frozen_balance);
      if (sun <= 0n) throw new ContractValidation("frozenBalance must be positive");
      if (sun < SUN_PER_TRX) {
        throw new ContractValidation("frozenBalance must be greater than or equal to 1 TRX");
      }
      if (sun > account.balance) {
        throw new ContractValidation(
          "frozenBalance must be less than or equal to accountBalance",
        );
      }
    },
    run: ({ accounts }, value) => {
      const sun = int64In(value.frozen_balance);
      accounts.burn(ownerIn(accounts, value).owner, sun);
      addStake(accounts, value, sun);
    },
  },

  UnfreezeBalanceV2Contract: {
    check: ({ accounts }, value) => {
      const { account } = ownerIn(accounts, value);
      const resource = resourceIn(value);
      const sun = int64In(value.unfreeze_balance);
      if (account.frozen[resource] === 0n) {
        const name = resource === "ENERGY" ? "Energy" : resource;
        throw new ContractValidation(`no frozenBalance(${name})`);
      }
      if (sun <= 0n || sun > account.frozen[resource]) {
        throw new ContractValidation(`Invalid unfreeze_balance, [${sun}] is error`);
      }
      const now = accounts.nowMs();
      if (account.unfreezing.filter((each) => each.expiresAtMs > now).length >= UNFREEZING_MAX) {
        throw new ContractValidation(
          "Invalid unfreeze operation, unfreezing times is over limit",
        );
      }
    },
    run: ({ accounts, parameters }, value) => {
      const withdrawn = withdraw(accounts, value);
      const sun = int64In(value.unfreeze_balance);
      const days = Number(parameters().getUnfreezeDelayDays);
      const expiresAtMs = accounts.nowMs() + days * DAY_MS;
      accounts.change(ownerIn(accounts, value).owner, (account) => ({
        ...account,
        unfreezing: [...account.unfreezing, { type: resourceIn(value), sun, expiresAtMs }],
      }));
      addStake(accounts, value, -sun);
      return withdrawn;
    },
  },

  WithdrawExpireUnfreezeContract: {
    check: ({ accounts }, value) => {
      const { account } = ownerIn(accounts, value);
      if (!account.unfreezing.some(({ expiresAtMs }) => expiresAtMs <= accounts.nowMs())) {
        throw new ContractValidation("no unFreeze balance to withdraw ");
      }
    },
    run: ({ accounts }, value) => withdraw(accounts, value),
  },

  CancelAllUnfreezeV2Contract: {
    check: ({ accounts }, value) => {
      if (ownerIn(accounts, value).account.unfreezing.length === 0) {
        throw new ContractValidation("No unfreezeV2 list to cancel");
      }
    },
    run: ({ accounts }, value) => {
      const withdrawn = withdraw(accounts, value);
      const { owner, account } = ownerIn(accounts, value);
      accounts.change(owner, (account) => ({ ...account, unfreezing: [] }));
      for (const { type, sun } of account.unfreezing) {
        addStake(accounts, { owner_address: owner, resource: type }, sun);
      }
      return withdrawn;
    },
  },

  DelegateResourceContract: {
    check: ({ accounts }, value) => {
      const { owner, account } = ownerIn(accounts, value);
      const resource = resourceIn(value);
      const sun = int64In(value.balance);
      if (sun < SUN_PER_TRX) {
        throw new ContractValidation("delegateBalance must be greater than or equal to 1 TRX");
      }
      const now = { total: accounts.total(resource), nowMs: accounts.nowMs() };
      if (lendable(account, resource, now) < sun) {
        const name = resource === "ENERGY" ? "FreezeEnergyV2" : "FreezeBandwidthV2";
        throw new ContractValidation(
          `delegateBalance must be less than or equal to available ${name} balance`,
        );
      }
      const to = receiverIn(owner, value);
      const receiver = accounts.get(to);
      if (!receiver) {
        throw new ContractValidation(`Account[${toBase58Check(to)}] not exists`);
      }
      if (value.lock === true) throw new Error("The node does not simulate locked loans");
      if (receiver.type === "Contract") {
        throw new ContractValidation("Do not allow delegate resources to contract addresses");
      }
    },
    run: ({ accounts }, value) => {
      const { owner } = ownerIn(accounts, value);
      const [resource, sun, to] = [resourceIn(value), int64In(value.balance), toIn(value)];
      const key = loanKey(resource, { from: owner, to });
      accounts.ledger.set(key, slotIn(accounts.ledger, key) + sun);
      accounts.change(owner, (account) => ({
        ...account,
        frozen: plus(account.frozen, resource, -sun),
        lent: plus(account.lent, resource, sun),
        lentTo: [...account.lentTo.filter((each) => each !== to), to],
      }));
      accounts.change(to, (account) => ({
        ...account,
        borrowed: plus(account.borrowed, resource, sun),
        borrowedFrom: [...account.borrowedFrom.filter((each) => each !== owner), owner],
      }));
    },
  },

  UnDelegateResourceContract: {
    check: ({ accounts }, value) => {
      const { owner } = ownerIn(accounts, value);
      const to = receiverIn(owner, value);
      const [resource, sun] = [resourceIn(value), int64In(value.balance)];
      if (!isLent(accounts, { from: owner, to })) {
        throw new ContractValidation("delegated Resource does not exist");
      }
      if (sun <= 0n) throw new ContractValidation("unDelegateBalance must be more than 0 TRX");
      const lent = slotIn(accounts.ledger, loanKey(resource, { from: owner, to }));
      if (lent < sun) {
        const name = resource === "ENERGY"
          ? "delegateFrozenBalance(Energy)"
          : "delegatedFrozenBalance(BANDWIDTH)";
        throw new ContractValidation(
          `insufficient ${name}, request=${sun}, unlock_balance=${lent}`,
        );
      }
    },
    run: ({ accounts }, value) => {
      const { owner } = ownerIn(accounts, value);
      const [resource, sun, to] = [resourceIn(value), int64In(value.balance), toIn(value)];
      const key = loanKey(resource, { from: owner, to });
      accounts.ledger.set(key, slotIn(accounts.ledger, key) - sun);
      const used = takeUsage(accounts, to, { resource, sun });
      const isOver = !isLent(accounts, { from: owner, to });
      const quota = quotaName(resource);
      accounts.change(to, (account) => ({
        ...account,
        borrowed: plus(account.borrowed, resource, -sun),
        borrowedFrom: account.borrowedFrom.filter((each) => !isOver || each !== owner),
      }));
      accounts.change(owner, (account) => ({
        ...account,
        [quota]: used.amount > 0n
          ? takeOver(account[quota], used, accounts.nowMs())
          : account[quota],
        frozen: plus(account.frozen, resource, sun),
        lent: plus(account.lent, resource, -sun),
        lentTo: account.lentTo.filter((each) => !isOver || each !== to),
      }));
    },
  },
};

/** What of a stake can be lent now: all of it but what its owner has used. */
export function lendable(
  { frozen, borrowed, ...account }: Account,
  resource: Resource,
  { total, nowMs }: { readonly total: Total; readonly nowMs: number },
): bigint {
  const used = stakeOf(usedNow(account[quotaName(resource)], nowMs), total) - borrowed[resource];
  const left = frozen[resource] - (used > 0n ? used : 0n);
  return left > 0n ? left : 0n;
}

export function loanKey(
  resource: Resource,
  { from, to }: { readonly from: HexAddress; readonly to: HexAddress },
): string {
  return `loan:${resource}:${from}:${to}`;
}

/** The borrower's use goes with the part of its quota that is taken away. */
function takeUsage(
  accounts: Accounts,
  borrower: HexAddress,
  { resource, sun }: { readonly resource: Resource; readonly sun: bigint },
): { amount: bigint; window: bigint } {
  const account = accounts.known(borrower);
  const quota = quotaName(resource);
  const usage = increase(account[quota], 0n, accounts.nowMs());
  const all = account.frozen[resource] + account.borrowed[resource];
  const share = BigInt(Math.trunc(Number(usage.used) * (Number(sun) / Number(all))));
  const most = limitOf(sun, accounts.total(resource));
  const amount = share < most ? share : most;
  accounts.change(borrower, (account) => ({
    ...account,
    [quota]: { ...usage, used: usage.used - amount },
  }));
  return { amount, window: usage.window };
}

function addStake(accounts: Accounts, value: Message, sun: bigint): void {
  const { owner, account } = ownerIn(accounts, value);
  const resource = resourceIn(value);
  const whole = account.frozen[resource] + account.lent[resource];
  const key = weightKey(resource);
  // Only whole TRX count, of each account.
  const weight = (whole + sun) / SUN_PER_TRX - whole / SUN_PER_TRX;
  accounts.ledger.set(key, slotIn(accounts.ledger, key) + weight);
  accounts.change(owner, (account) => ({
    ...account,
    frozen: plus(account.frozen, resource, sun),
  }));
}

/** What has waited long enough. */
function withdraw(accounts: Accounts, value: Message): bigint {
  const { owner, account } = ownerIn(accounts, value);
  const isOver = ({ expiresAtMs }: { readonly expiresAtMs: number }) =>
    expiresAtMs <= accounts.nowMs();
  const sun = account.unfreezing.filter(isOver).reduce((sum, each) => sum + each.sun, 0n);
  accounts.change(owner, (account) => ({
    ...account,
    balance: account.balance + sun,
    unfreezing: account.unfreezing.filter((each) => !isOver(each)),
  }));
  return sun;
}

function ownerIn(
  accounts: Accounts,
  value: Message,
): { readonly owner: HexAddress; readonly account: Account } {
  const owner = String(value.owner_address ?? "");
  if (!isHexAddress(owner)) throw new ContractValidation("Invalid address");
  const account = accounts.get(owner);
  if (account) return { owner, account };
  throw new ContractValidation(`Account[${toBase58Check(owner)}] not exists`);
}

function receiverIn(owner: HexAddress, value: Message): HexAddress {
  const to = toIn(value);
  if (!isHexAddress(to)) throw new ContractValidation("Invalid receiverAddress");
  if (to !== owner) return to;
  throw new ContractValidation("receiverAddress must not be the same as ownerAddress");
}

function toIn(value: Message): HexAddress {
  return String(value.receiver_address ?? "");
}

function isLent(
  { ledger }: Accounts,
  ends: { readonly from: HexAddress; readonly to: HexAddress },
): boolean {
  return (["BANDWIDTH", "ENERGY"] as const).some((resource) =>
    slotIn(ledger, loanKey(resource, ends)) > 0n
  );
}

function resourceIn({ resource }: Message): Resource {
  return resource === "ENERGY" ? "ENERGY" : "BANDWIDTH";
}

function quotaName(resource: Resource): "net" | "energy" {
  return resource === "ENERGY" ? "energy" : "net";
}

function plus(stakes: Stakes, resource: Resource, sun: bigint): Stakes {
  return { ...stakes, [resource]: stakes[resource] + sun };
}
