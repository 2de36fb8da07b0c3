import { TronWeb } from "tronweb";
import { toHex } from "../../../src/base/bytes.ts";
import { addressOfKey, keyOf, toBase58Check } from "../../../src/sandbox/tron_node/addresses.ts";
import type { TronNode } from "../tron_node/start.ts";

export interface TronWallet {
  readonly address: string;
  readonly key: string;
  readonly web: TronWeb;
}

/** TRON's own client, unmodified, with a key that is the same in every run. */
export function tronWallet(node: Pick<TronNode, "url">, name: string): TronWallet {
  const key = keyOf(name);
  const privateKey = toHex(key);
  return {
    address: toBase58Check(addressOfKey(key)),
    key: privateKey,
    web: new TronWeb({ fullHost: node.url, privateKey, disablePlugins: true }),
  };
}

const word = (name: string, type: string) => ({ name, type });

/** The part of a TRC-20 contract that a wallet calls. */
export const TRC20_ABI = [
  {
    type: "function",
    name: "transfer",
    inputs: [word("to", "address"), word("value", "uint256")],
    outputs: [word("", "bool")],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "approve",
    inputs: [word("spender", "address"), word("value", "uint256")],
    outputs: [word("", "bool")],
    stateMutability: "nonpayable",
  },
  {
    type: "function",
    name: "balanceOf",
    inputs: [word("holder", "address")],
    outputs: [word("", "uint256")],
    stateMutability: "view",
  },
  ...["decimals", "symbol", "name"].map((name) => ({
    type: "function",
    name,
    inputs: [],
    outputs: [word("", name === "decimals" ? "uint8" : "string")],
    stateMutability: "view",
  })),
] as const;
