import { present } from "../../base/assert.ts";
import { type Account, accountIn, accountKey, type Entry, newAccount, slotIn } from "./account.ts";
import { type HexAddress, toBase58Check } from "./addresses.ts";
import { ContractExecution, ContractValidation } from "./failures.ts";
import type { State } from "./ledger.ts";
import type { ChainParameters } from "./parameters.ts";
import {
  increase,
  increaseWithinDay,
  limitOf,
  type Resource,
  type Total,
  usedNow,
} from "./resources.ts";

export interface Writable extends State<Entry> {
  set(key: string, value: Entry): void;
}

/** What strangers have staked. */
const STRANGERS: Readonly<Record<Resource, bigint>> = {
  BANDWIDTH: 26_000_000_000n,
  ENERGY: 19_000_000_000n,
};

/** Where the TRX are counted that were staked here. */
export function weightKey(resource: Resource): string {
  return `weight:${resource}`;
}

export function totalIn(
  state: State<Entry>,
  resource: Resource,
  { getTotalEnergyCurrentLimit, getTotalNetLimit }: ChainParameters,
): Total {
  return {
    limit: resource === "ENERGY" ? getTotalEnergyCurrentLimit : getTotalNetLimit,
    weight: STRANGERS[resource] + slotIn(state, weightKey(resource)),
  };
}

/** A day's quota by stake: its own, and what others lend to it. */
export function quotaOf({ frozen, borrowed }: Account, resource: Resource, total: Total): bigint {
  return limitOf(frozen[resource] + borrowed[resource], total);
}

/** The accounts of the state that is being written. */
export class Accounts {
  constructor(
    readonly ledger: Writable,
    readonly parameters: () => ChainParameters,
    readonly nowMs: () => number,
  ) {}

  get(address: HexAddress): Account | undefined {
    return accountIn(this.ledger, address);
  }

  /** For an account that a check has found. */
  known(address: HexAddress): Account {
    return present(this.get(address), `There is no account ${address}`);
  }

  change(address: HexAddress, change: (account: Account) => Account): void {
    const account = this.get(address);
    if (!account) {
      throw new ContractValidation(`account [${toBase58Check(address)}] does not exist`);
    }
    this.ledger.set(accountKey(address), change(account));
  }

  create(address: HexAddress): void {
    this.ledger.set(accountKey(address), newAccount(address, this.nowMs()));
  }

  /** Moves coins; a receiver without an account gets one. */
  move(from: HexAddress, to: HexAddress, sun: bigint): void {
    if (!this.get(to)) this.create(to);
    this.burn(from, sun);
    this.change(to, (account) => ({ ...account, balance: account.balance + sun }));
  }

  burn(from: HexAddress, sun: bigint): void {
    this.change(from, (account) => {
      if (account.balance < sun) {
        throw new ContractExecution(`${toBase58Check(from)} insufficient balance`);
      }
      return { ...account, balance: account.balance - sun };
    });
  }

  total(resource: Resource): Total {
    return totalIn(this.ledger, resource, this.parameters());
  }

  netLeft(account: Account): bigint {
    const quota = quotaOf(account, "BANDWIDTH", this.total("BANDWIDTH"));
    return quota - usedNow(account.net, this.nowMs());
  }

  freeNetLeft(account: Account): bigint {
    return this.parameters().getFreeNetLimit - usedNow(account.freeNet, this.nowMs());
  }

  energyLeft(account: Account): bigint {
    const quota = quotaOf(account, "ENERGY", this.total("ENERGY"));
    const left = quota - usedNow(account.energy, this.nowMs());
    return left > 0n ? left : 0n;
  }

  use(address: HexAddress, quota: "net" | "freeNet" | "energy", amount: bigint): void {
    if (amount === 0n) return;
    const atMs = this.nowMs();
    const using = quota === "freeNet" ? increaseWithinDay : increase;
    this.change(address, (account) => ({
      ...account,
      operatedAtMs: atMs,
      [quota]: using(account[quota], amount, atMs),
    }));
  }
}
