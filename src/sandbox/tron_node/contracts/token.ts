import { type Entry, slotIn } from "../account.ts";
import { type Writable } from "../accounts.ts";
import {
  addressWord,
  Arguments,
  revertReason,
  selectorOf,
  stringResult,
  topicOf,
  uintWord,
} from "./abi.ts";
import type { HexAddress } from "../addresses.ts";
import type { State } from "../ledger.ts";
import { type ContractCall, Reverted, type SimulatedContract } from "./machine.ts";

const TRANSFER = topicOf("Transfer(address,address,uint256)");
const APPROVAL = topicOf("Approval(address,address,uint256)");
const UINT_MAX = 2n ** 256n - 1n;
const BASIS_POINTS = 10_000n;

interface TokenEnergy {
  /** A transfer to an address that holds some of the token, and to one that holds none. */
  readonly toHolder: bigint;
  readonly toEmpty: bigint;
  readonly approve: bigint;
  readonly view: bigint;
  /** The energy that a call used before it reverts. */
  readonly revert: bigint;
}

export const USDT_ENERGY: TokenEnergy = {
  toHolder: 64_285n,
  toEmpty: 130_285n,
  approve: 22_670n,
  view: 935n,
  revert: 4_500n,
};

/** The behaviour of a token; a test may change it at any time. */
export interface TokenManners {
  paused: boolean;
  /** Part of each transfer that the owner keeps, in basis points. */
  feeBasisPoints: bigint;
  /** `log_only` logs a Transfer and moves nothing; `false_only` moves and logs nothing. */
  transfers: "honest" | "log_only" | "false_only";
  /** The return value of a successful transfer. TRON's USDT returns `false`, others nothing at all. */
  answers: "true" | "false" | "nothing";
  /** The address of its logs: an upgraded token forwards calls, and the new contract logs them. */
  logsAs: HexAddress | null;
  energy: TokenEnergy;
  readonly banned: Set<HexAddress>;
}

interface TokenFacts {
  readonly address: HexAddress;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly origin: HexAddress;
  readonly version?: number;
}

type Method = (call: ContractCall, args: Arguments) => string;

/** A TRC-20 contract without bytecode. */
export class Token implements SimulatedContract {
  readonly address: HexAddress;
  readonly name: string;
  readonly origin: HexAddress;
  readonly version: number;
  energyFactor = 0n;
  readonly #methods: ReadonlyMap<string, Method>;

  constructor(readonly facts: TokenFacts, readonly manners: TokenManners) {
    ({ address: this.address, name: this.name, origin: this.origin } = facts);
    this.version = facts.version ?? 0;
    this.#methods = new Map(
      Object.entries<Method>({
        "transfer(address,uint256)": (call, args) =>
          this.#transfer(call, { from: call.caller, to: args.address(0), amount: args.uint(1) }),
        "transferFrom(address,address,uint256)": (call, args) => this.#transferFrom(call, args),
        "approve(address,uint256)": (call, args) => this.#approve(call, args),
        ...this.#views(),
      }).map(([signature, method]) => [selectorOf(signature), method]),
    );
  }

  run(call: ContractCall): string {
    const method = this.#methods.get(call.data.slice(0, 8));
    if (!method || call.value > 0n) this.#revert(call);
    return method(call, new Arguments(call.data.slice(8)));
  }

  balanceKey(holder: HexAddress): string {
    return `slot:${this.address}:balance:${holder}`;
  }

  balanceIn(state: State<Entry>, holder: HexAddress): bigint {
    return slotIn(state, this.balanceKey(holder));
  }

  #views(): Record<string, Method> {
    const view =
      (answer: (state: State<Entry>, args: Arguments) => string): Method => (call, args) => {
        call.machine.use(this, this.manners.energy.view);
        return answer(call.machine.accounts.ledger, args);
      };
    return {
      "balanceOf(address)": view((state, args) => uintWord(this.balanceIn(state, args.address(0)))),
      "allowance(address,address)": view((state, args) =>
        uintWord(slotIn(state, this.#allowanceKey(args.address(0), args.address(1))))
      ),
      "decimals()": view(() => uintWord(BigInt(this.facts.decimals))),
      "symbol()": view(() => stringResult(this.facts.symbol)),
      "name()": view(() => stringResult(this.facts.name)),
    };
  }

  #transferFrom(call: ContractCall, args: Arguments): string {
    const [from, to, amount] = [args.address(0), args.address(1), args.uint(2)];
    const { ledger } = call.machine.accounts;
    const key = this.#allowanceKey(from, call.caller);
    const allowed = slotIn(ledger, key);
    if (allowed < amount) this.#revert(call, "allowance");
    if (allowed < UINT_MAX) ledger.set(key, allowed - amount);
    return this.#transfer(call, { from, to, amount });
  }

  #transfer(
    call: ContractCall,
    { from, to, amount }: { from: HexAddress; to: HexAddress; amount: bigint },
  ): string {
    const { manners } = this;
    const { ledger } = call.machine.accounts;
    if (manners.paused) this.#revert(call);
    if (manners.banned.has(from)) this.#revert(call);
    call.machine.use(
      this,
      this.balanceIn(ledger, to) > 0n ? manners.energy.toHolder : manners.energy.toEmpty,
    );
    if (manners.transfers === "false_only") return uintWord(0n);
    if (manners.transfers === "log_only") {
      this.#logTransfer(call, { from, to, amount });
      return uintWord(1n);
    }
    if (this.balanceIn(ledger, from) < amount) this.#revert(call, "balance");
    const fee = amount * manners.feeBasisPoints / BASIS_POINTS;
    this.#add(ledger, from, -amount);
    this.#add(ledger, to, amount - fee);
    this.#logTransfer(call, { from, to, amount });
    if (fee > 0n) this.#add(ledger, this.origin, fee);
    return { true: uintWord(1n), false: uintWord(0n), nothing: "" }[manners.answers];
  }

  #approve(call: ContractCall, args: Arguments): string {
    call.machine.use(this, this.manners.energy.approve);
    const [spender, amount] = [args.address(0), args.uint(1)];
    call.machine.accounts.ledger.set(this.#allowanceKey(call.caller, spender), amount);
    call.machine.log(
      this.address,
      [APPROVAL, addressWord(call.caller), addressWord(spender)],
      uintWord(amount),
    );
    return uintWord(1n);
  }

  #logTransfer(
    call: ContractCall,
    { from, to, amount }: { from: HexAddress; to: HexAddress; amount: bigint },
  ): void {
    const topics = [TRANSFER, addressWord(from), addressWord(to)];
    call.machine.log(this.manners.logsAs ?? this.address, topics, uintWord(amount));
  }

  #add(ledger: Writable, holder: HexAddress, amount: bigint): void {
    ledger.set(this.balanceKey(holder), this.balanceIn(ledger, holder) + amount);
  }

  #allowanceKey(owner: HexAddress, spender: HexAddress): string {
    return `slot:${this.address}:allowance:${owner}:${spender}`;
  }

  #revert(call: ContractCall, reason?: string): never {
    call.machine.use(this, this.manners.energy.revert);
    throw new Reverted(reason === undefined ? "" : revertReason(reason));
  }
}
