import { addressWord, selectorOf, uintWord } from "./abi.ts";
import { addressOfKey, hexAddress, keyOf, toBase58Check } from "../addresses.ts";
import type { Chain } from "../chain.ts";
import type { SimulatedContract } from "./machine.ts";
import { Token, type TokenManners, USDT_ENERGY } from "./token.ts";

export const DEPLOYER = addressOfKey(keyOf("deployer"));

export interface TokenOptions {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly version?: number;
  readonly manners?: Partial<TokenManners>;
}

export interface TokenHandle {
  /** base58check */
  readonly address: string;
  readonly hex: string;
  /** Changed at will; holds at every height. */
  readonly manners: TokenManners;
  readonly token: Token;
  /** Adds tokens without a transaction. */
  mint(holder: string, amount: bigint): void;
  balanceOf(holder: string): bigint;
  ban(holder: string): void;
  unban(holder: string): void;
  /** Call data of `transfer`. */
  transferData(to: string, amount: bigint): string;
}

/** It exists at every height, because a deployment is no transaction here. */
export function deployToken(chain: Chain, address: string, options: TokenOptions): TokenHandle {
  const manners: TokenManners = {
    paused: false,
    feeBasisPoints: 0n,
    transfers: "honest",
    logsAs: null,
    answers: "true",
    energy: USDT_ENERGY,
    banned: new Set(),
    ...options.manners,
  };
  const token = new Token({ ...options, address, origin: DEPLOYER }, manners);
  addContract(chain, token);
  return {
    address: toBase58Check(address),
    hex: address,
    manners,
    token,
    mint: (holder, amount) =>
      chain.rewrite(
        token.balanceKey(hexAddress(holder)),
        (before) => (typeof before === "bigint" ? before : 0n) + amount,
      ),
    balanceOf: (holder) => token.balanceIn(chain.ledger, hexAddress(holder)),
    ban: (holder) => void manners.banned.add(hexAddress(holder)),
    unban: (holder) => void manners.banned.delete(hexAddress(holder)),
    transferData: (to, amount) =>
      selectorOf("transfer(address,uint256)") + addressWord(hexAddress(to)) + uintWord(amount),
  };
}

export function addContract(chain: Chain, contract: SimulatedContract): void {
  chain.contracts.set(contract.address, contract);
  chain.rewriteAccount(contract.address, "Contract")((account) => account);
}
