import { NodeError } from "../faults.ts";
import { askAll, lowerMedian } from "../pool/compared.ts";
import type { Pool } from "../pool/endpoints.ts";
import { nodeAddress } from "./address.ts";
import { amount, isEmpty, type Json, list, record } from "./decode.ts";
import type { NodeView, TronNode } from "./node.ts";

export interface Account {
  readonly balanceRaw: bigint;
  /** A contract can receive coins only in a call. */
  readonly isContract: boolean;
  /** Whether its own key alone may still sign for it. */
  readonly isOwnKeyEnough: boolean;
}

interface AccountAsked {
  readonly address: string;
  /** `wallet` includes pending transactions, `walletsolidity` only solid blocks. */
  readonly view?: NodeView;
}

/** Undefined for an address that never received anything and has to be activated first. */
export async function accountOn(
  node: TronNode,
  { address, view = "wallet" }: AccountAsked,
): Promise<Account | undefined> {
  const answer = await node.ask(`${view}/getaccount`, { address });
  if (isEmpty(answer)) return undefined;
  const account = record(answer, "an account");
  if (nodeAddress(account.address, "an account's address") !== address) {
    throw new NodeError(`${node.host} answered another account than ${address}`);
  }
  return {
    balanceRaw: amount(account.balance, "a balance"),
    isContract: account.type === "Contract" || account.type === 2,
    isOwnKeyEnough: isOwnKeyEnough(account.owner_permission, address),
  };
}

export async function coinsOn(node: TronNode, asked: AccountAsked): Promise<bigint> {
  return (await accountOn(node, asked))?.balanceRaw ?? 0n;
}

/** Accounts that never changed it may show no permission at all. */
function isOwnKeyEnough(permission: unknown, address: string): boolean {
  if (permission === undefined) return true;
  const { threshold, keys } = record(permission, "a permission");
  const weight = list(keys ?? [], "a permission's keys")
    .map((key) => record(key, "a permission's key"))
    .filter((key) => nodeAddress(key.address, "a permission's address") === address)
    .reduce((sum, key) => sum + amount(key.weight, "a key's weight"), 0n);
  return weight > 0n && weight >= amount(threshold, "a permission's threshold");
}

/** What a transaction can use instead of burning coins. */
export interface Resources {
  readonly freeBandwidth: bigint;
  readonly stakedBandwidth: bigint;
  readonly energy: bigint;
  /** What was used beyond that, after a loan was taken back: a new one fills this gap first. */
  readonly energyOverused?: bigint;
}

/** Empty if there is no account. */
export async function resourcesOn(node: TronNode, address: string): Promise<Resources> {
  const answer = record(await node.ask("wallet/getaccountresource", { address }), "resources");
  return {
    freeBandwidth: left(answer, "freeNetLimit", "freeNetUsed"),
    stakedBandwidth: left(answer, "NetLimit", "NetUsed"),
    energy: left(answer, "EnergyLimit", "EnergyUsed"),
    energyOverused: left(answer, "EnergyUsed", "EnergyLimit"),
  };
}

function left(resources: Json, limit: string, used: string): bigint {
  const rest = amount(resources[limit], limit) - amount(resources[used], used);
  return rest > 0n ? rest : 0n;
}

/** In sun, the smallest unit. */
export interface Prices {
  readonly perByteRaw: bigint;
  readonly perEnergyRaw: bigint;
  /** Price of sending coins to an unused address. */
  readonly activationRaw: bigint;
  readonly feeLimitMaxRaw: bigint;
}

/** With several endpoints, no single one decides what is paid. */
export async function agreedPrices(pool: Pool<TronNode>): Promise<Prices> {
  const answers = await askAll(pool, pricesOn);
  const of = (name: keyof Prices) => lowerMedian(answers.map((prices) => prices[name]));
  return {
    perByteRaw: of("perByteRaw"),
    perEnergyRaw: of("perEnergyRaw"),
    activationRaw: of("activationRaw"),
    feeLimitMaxRaw: of("feeLimitMaxRaw"),
  };
}

/** The chain's members vote on these, so they change now and then. */
async function pricesOn(node: TronNode): Promise<Prices> {
  const price = await parametersOn(node);
  return {
    perByteRaw: price("getTransactionFee"),
    perEnergyRaw: price("getEnergyFee"),
    activationRaw: price("getCreateNewAccountFeeInSystemContract") + price("getCreateAccountFee"),
    feeLimitMaxRaw: price("getMaxFeeLimit"),
  };
}

export async function parametersOn(node: TronNode): Promise<(key: string) => bigint> {
  const { chainParameter } = record(await node.ask("wallet/getchainparameters"), "parameters");
  const parameters = new Map(
    list(chainParameter, "parameters").map((item) => {
      const { key, value } = record(item, "a parameter");
      return [key, value] as const;
    }),
  );
  return (key) => {
    if (parameters.has(key)) return amount(parameters.get(key), key);
    throw new NodeError(`${node.host} gives no ${key}`);
  };
}
