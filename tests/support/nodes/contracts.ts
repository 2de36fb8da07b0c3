import type { Abi, Hex } from "viem";
import { encodeDeployData, encodeFunctionData, getAddress } from "viem/utils";
import type { Anvil } from "./anvil.ts";

export type ContractName =
  | "Aggregator"
  | "Attacker"
  | "Burner"
  | "Disperse"
  | "FalseToken"
  | "FeeToken"
  | "Hungry"
  | "Inner"
  | "LyingToken"
  | "Moody"
  | "Multicall3"
  | "OddToken"
  | "Rejector"
  | "Token"
  | "UsdtLike";

export interface Contract {
  readonly address: string;
  encode(method: string, args?: readonly unknown[]): Hex;
  /** Sends from an unlocked account, the first one by default, and returns the hash. */
  send(method: string, args?: readonly unknown[], options?: SendOptions): Promise<string>;
  read(method: string, args?: readonly unknown[]): Promise<bigint>;
}

interface SendOptions {
  readonly from?: string;
  readonly valueRaw?: bigint;
  /** Set it to send what the node's own estimate would refuse. */
  readonly gas?: number;
  /** Leave it in the pool, for a node that does not mine by itself. */
  readonly isPooled?: boolean;
}

export async function deploy(
  anvil: Anvil,
  { name, args = [] }: { name: ContractName; args?: readonly unknown[] },
): Promise<Contract> {
  const file = new URL(`../contracts/${name}.json`, import.meta.url);
  const { abi, bytecode } = JSON.parse(await Deno.readTextFile(file)) as {
    abi: Abi;
    bytecode: Hex;
  };
  const data = encodeDeployData({ abi, bytecode, args });
  const tx = { from: anvil.accounts[0], data };
  const { contractAddress } = await anvil.rpc("eth_sendTransactionSync", [tx]);
  const address = getAddress(contractAddress);

  const encode = (functionName: string, callArgs: readonly unknown[] = []) =>
    encodeFunctionData({ abi, functionName, args: callArgs });
  return {
    address,
    encode,
    send: (method, callArgs, options) =>
      sendTx(anvil, { to: address, data: encode(method, callArgs), ...options }),
    read: async (method, callArgs) =>
      BigInt(
        await anvil.rpc("eth_call", [{ to: address, data: encode(method, callArgs) }, "latest"]),
      ),
  };
}

/** Any transaction from an unlocked account. It is mined when this returns, or pooled if so asked. */
export async function sendTx(
  anvil: Anvil,
  { from, to, valueRaw = 0n, gas, data, isPooled }: SendOptions & { to: string; data?: string },
): Promise<string> {
  const tx = {
    from: from ?? anvil.accounts[0],
    to,
    value: `0x${valueRaw.toString(16)}`,
    ...(gas === undefined ? {} : { gas: `0x${gas.toString(16)}` }),
    ...(data === undefined ? {} : { data }),
  };
  if (isPooled) return await anvil.rpc("eth_sendTransaction", [tx]);
  return (await anvil.rpc("eth_sendTransactionSync", [tx])).transactionHash;
}
