import type { EnergyRate, Loan, Quota, Stake } from "../../domain/energy.ts";
import type { ChainEnergy } from "../energy.ts";
import { NodeError } from "../faults.ts";
import type { Pool } from "../pool/endpoints.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import { parametersOn } from "./account.ts";
import { encodeAddress, hexOfAddress, nodeAddress } from "./address.ts";
import { amount, isEmpty, type Json, list, record, safeNumber } from "./decode.ts";
import type { TronNode } from "./node.ts";
import { prepareStake } from "./transfers/prepare_stake.ts";

const CALLS_AT_ONCE = 8;
/** The chain's number of energy. */
const ENERGY = 1;
const SUN_PER_TRX = 1_000_000n;

/** Stake 2.0, for energy only. */
export function connectEnergy(pool: Pool<TronNode>): ChainEnergy {
  return {
    stakeOf: (address) => pool.read((node) => stakeOn(node, hexOfAddress(address))),
    quotaOf: (address) => pool.read((node) => quotaOn(node, hexOfAddress(address))),
    loansOf: (address, owned) =>
      pool.read((node) => loansOn(node, { from: hexOfAddress(address), owned })),
    unstakingDays: () => pool.read(unstakingDaysOn),
    prepareStake: (order, price = {}) => prepareStake(pool, { order, price }),
  };
}

interface Lendable {
  readonly lendableRaw: bigint;
  readonly rate: EnergyRate;
}

/** What an account could lend now. */
export async function lendableOn(node: TronNode, address: string): Promise<Lendable> {
  const [answer, most] = await Promise.all([
    node.ask("wallet/getaccountresource", { address }),
    node.ask("wallet/getcandelegatedmaxsize", { owner_address: address, type: ENERGY }),
  ]);
  return lendableIn(record(answer, "resources"), most);
}

function lendableIn(resources: Json, most: unknown): Lendable {
  return {
    lendableRaw: amount(record(most, "what can be lent").max_size, "what can be lent"),
    rate: {
      energy: amount(resources.TotalEnergyLimit, "all energy"),
      stakedRaw: amount(resources.TotalEnergyWeight, "all stakes") * SUN_PER_TRX,
    },
  };
}

async function stakeOn(node: TronNode, address: string): Promise<Stake> {
  const [answer, resourceAnswer, most] = await Promise.all([
    node.ask("wallet/getaccount", { address }),
    node.ask("wallet/getaccountresource", { address }),
    node.ask("wallet/getcandelegatedmaxsize", { owner_address: address, type: ENERGY }),
  ]);
  const account = record(answer, "an account");
  if (!isEmpty(account) && nodeAddress(account.address, "an account's address") !== address) {
    throw new NodeError(`${node.host} answered another account than ${address}`);
  }
  const resources = record(resourceAnswer, "resources");
  const lentRaw = amount(
    record(account.account_resource ?? {}, "an account's resources")
      .delegated_frozenV2_balance_for_energy,
    "lent energy",
  );
  const frozen = ofEnergy(account.frozenV2, "stakes");
  return {
    stakedRaw: frozen.reduce((sum, stake) => sum + amount(stake.amount, "a stake"), lentRaw),
    lentRaw,
    ...lendableIn(resources, most),
    energy: quotaIn(resources, "Energy"),
    bandwidth: { free: quotaIn(resources, "freeNet"), staked: quotaIn(resources, "Net") },
    unstaking: ofEnergy(account.unfrozenV2, "what is unstaked").map((part) => ({
      amountRaw: amount(part.unfreeze_amount, "what is unstaked"),
      collectableAtMs: safeNumber(part.unfreeze_expire_time, "the time of what is unstaked"),
    })),
  };
}

function ofEnergy(value: unknown, what: string): Json[] {
  return list(value ?? [], what)
    .map((part) => record(part, what))
    .filter(({ type }) => type === "ENERGY" || type === ENERGY);
}

async function quotaOn(node: TronNode, address: string): Promise<Quota> {
  const answer = await node.ask("wallet/getaccountresource", { address });
  return quotaIn(record(answer, "resources"), "Energy");
}

function quotaIn(resources: Json, name: "Energy" | "Net" | "freeNet"): Quota {
  const [limit, used] = [`${name}Limit`, `${name}Used`];
  return { limit: amount(resources[limit], limit), used: amount(resources[used], used) };
}

async function loansOn(
  node: TronNode,
  { from, owned }: {
    from: string;
    owned: (borrowers: readonly string[]) => Promise<ReadonlySet<string>>;
  },
): Promise<Loan[]> {
  const index = record(
    await node.ask("wallet/getdelegatedresourceaccountindexv2", { value: from }),
    "whom something is lent to",
  );
  const borrowers = list(index.toAccounts ?? [], "whom something is lent to")
    .map((address) => encodeAddress(nodeAddress(address, "whom something is lent to")));
  const ours = await owned(borrowers);
  const loans = await mapBounded(borrowers.filter((address) => ours.has(address)), {
    concurrencyMax: CALLS_AT_ONCE,
    work: (to) => loanOn(node, { from, to }),
  });
  return loans.filter(({ amountRaw }) => amountRaw > 0n);
}

/** What is lent for a fixed time is listed apart, and none of ours. */
async function loanOn(
  node: TronNode,
  { from, to }: { from: string; to: string },
): Promise<Loan> {
  const toHex = hexOfAddress(to);
  const asked = { fromAddress: from, toAddress: toHex };
  const { delegatedResource } = record(
    await node.ask("wallet/getdelegatedresourcev2", asked),
    "loans",
  );
  let amountRaw = 0n;
  for (const item of list(delegatedResource ?? [], "loans")) {
    const loan = record(item, "a loan");
    const ends = [nodeAddress(loan.from, "a lender"), nodeAddress(loan.to, "a borrower")];
    if (ends[0] !== from || ends[1] !== toHex) {
      throw new NodeError(`${node.host} answered another loan than to ${to}`);
    }
    if (amount(loan.expire_time_for_energy, "a loan's end") > 0n) continue;
    amountRaw += amount(loan.frozen_balance_for_energy, "a loan");
  }
  return { to, amountRaw };
}

async function unstakingDaysOn(node: TronNode): Promise<number> {
  return Number((await parametersOn(node))("getUnfreezeDelayDays"));
}
