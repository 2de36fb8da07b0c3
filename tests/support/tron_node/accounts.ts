import { type HexAddress, toBase58Check } from "./addresses.ts";
import { ContractExecution, ContractValidation } from "./failures.ts";
import type { State } from "./ledger.ts";
import type { ChainParameters } from "./parameters.ts";

const RECOVERY_MS = 86_400_000;
const OWNER_ONLY_OPERATIONS = "7fff1fc0033efb0f".padEnd(64, "0");

interface Key {
  readonly address: HexAddress;
  readonly weight: bigint;
}

export interface Permission {
  readonly type?: "Owner" | "Witness" | "Active";
  readonly id?: number;
  readonly permission_name?: string;
  readonly threshold?: bigint;
  readonly operations?: string;
  readonly keys?: readonly Key[];
}

/** The used part of a quota, and when it was used: it recovers evenly within a day. */
interface Usage {
  readonly used: bigint;
  readonly atMs: number;
}

export interface Account {
  readonly address: HexAddress;
  readonly type: "Normal" | "Contract";
  readonly balance: bigint;
  readonly createdAtMs: number;
  readonly operatedAtMs: number;
  readonly freeNet: Usage;
  readonly net: Usage;
  readonly energy: Usage;
  /** Staked by or delegated to the account. */
  readonly netLimit: bigint;
  readonly energyLimit: bigint;
  readonly owner: Permission;
  readonly actives: readonly Permission[];
  readonly assets: Readonly<Record<string, bigint>>;
}

export function accountKey(address: HexAddress): string {
  return `account:${address}`;
}

export function accountIn(state: State, address: HexAddress): Account | undefined {
  return state.get<Account>(accountKey(address));
}

export function newAccount(
  address: HexAddress,
  atMs: number,
  type: Account["type"] = "Normal",
): Account {
  const unused = { used: 0n, atMs: 0 };
  const keys = [{ address, weight: 1n }];
  return {
    address,
    type,
    balance: 0n,
    createdAtMs: atMs,
    operatedAtMs: 0,
    freeNet: unused,
    net: unused,
    energy: unused,
    netLimit: 0n,
    energyLimit: 0n,
    owner: { type: "Owner", permission_name: "owner", threshold: 1n, keys },
    actives: type === "Contract" ? [] : [{
      type: "Active",
      id: 2,
      permission_name: "active",
      threshold: 1n,
      operations: OWNER_ONLY_OPERATIONS,
      keys,
    }],
    assets: {},
  };
}

/** The use that still counts now. */
export function usedNow(usage: Usage, nowMs: number): bigint {
  const left = RECOVERY_MS - (nowMs - usage.atMs);
  return left <= 0 ? 0n : usage.used * BigInt(left) / BigInt(RECOVERY_MS);
}

export interface Writable extends State {
  set(key: string, value: unknown): void;
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

  netLeft(account: Account): bigint {
    return account.netLimit - usedNow(account.net, this.nowMs());
  }

  freeNetLeft(account: Account): bigint {
    return this.parameters().getFreeNetLimit - usedNow(account.freeNet, this.nowMs());
  }

  energyLeft(account: Account): bigint {
    const left = account.energyLimit - usedNow(account.energy, this.nowMs());
    return left > 0n ? left : 0n;
  }

  use(address: HexAddress, quota: "net" | "freeNet" | "energy", amount: bigint): void {
    if (amount === 0n) return;
    const atMs = this.nowMs();
    this.change(address, (account) => ({
      ...account,
      operatedAtMs: atMs,
      [quota]: { used: usedNow(account[quota], atMs) + amount, atMs },
    }));
  }
}
