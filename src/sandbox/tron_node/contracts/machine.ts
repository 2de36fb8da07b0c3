import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../../base/bytes.ts";
import { type Accounts } from "../accounts.ts";
import type { HexAddress } from "../addresses.ts";
import type { Message } from "../api/values.ts";

const NEW_ACCOUNT_ENERGY = 25_000n;
const FACTOR_ONE = 10_000n;

/** Our code instead of bytecode. */
export interface SimulatedContract {
  readonly address: HexAddress;
  readonly name: string;
  readonly origin: HexAddress;
  readonly version: number;
  /** Ten-thousandths on top of all energy: the dynamic energy model's factor. */
  energyFactor: bigint;
  /** Returns hex; throws Reverted. */
  run(call: ContractCall): string;
}

export interface ContractCall {
  readonly machine: Machine;
  readonly caller: HexAddress;
  readonly value: bigint;
  /** Selector and arguments, as hex. */
  readonly data: string;
}

/** The contract reverted, with a message in hex. */
export class Reverted extends Error {
  override name = "Reverted";
  constructor(readonly data = "") {
    super("REVERT opcode executed");
  }
}

/** One run of contracts: what it used, logged and paid, in a layer that the caller opened. */
export class Machine {
  energy = 0n;
  penalty = 0n;
  readonly logs: Message[] = [];
  readonly internal: Message[] = [];

  constructor(
    readonly accounts: Accounts,
    readonly contracts: ReadonlyMap<HexAddress, SimulatedContract>,
    readonly txId: string,
  ) {}

  /** Energy, with what the contract's factor adds. */
  use(contract: SimulatedContract, energy: bigint): void {
    const penalty = energy * contract.energyFactor / FACTOR_ONE;
    this.energy += energy + penalty;
    this.penalty += penalty;
  }

  log(address: HexAddress, topics: readonly string[], data: string): void {
    this.logs.push({ address: address.slice(2), topics, data });
  }

  /** Coins that a contract pays, or a call of another contract. */
  send(from: SimulatedContract, to: HexAddress, { value = 0n, data = "" }): string {
    this.#note("call", { from: from.address, to, value });
    if (value > 0n) {
      const account = this.accounts.get(from.address);
      if ((account?.balance ?? 0n) < value) throw new Reverted();
      if (!this.accounts.get(to)) this.use(from, NEW_ACCOUNT_ENERGY);
      this.accounts.move(from.address, to, value);
    }
    const callee = this.contracts.get(to);
    return callee?.run({ machine: this, caller: from.address, value, data }) ?? "";
  }

  /** Lends what a stake earns. The call's value is the stake, although no coins move. */
  delegate(from: SimulatedContract, to: HexAddress, staked: bigint): void {
    this.#note("delegateResourceOfEnergy", { from: from.address, to, value: staked });
  }

  #note(
    note: string,
    { from, to, value }: { from: HexAddress; to: HexAddress; value: bigint },
  ): void {
    const nonce = this.internal.length;
    this.internal.push({
      hash: toHex(sha256(utf8(`${this.txId} internal ${nonce}`))),
      caller_address: from,
      transferTo_address: to,
      callValueInfo: [value > 0n ? { callValue: value } : {}],
      note: toHex(utf8(note)),
    });
  }
}
