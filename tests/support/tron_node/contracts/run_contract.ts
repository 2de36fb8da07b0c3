import { toHex, utf8 } from "../../../../src/base/bytes.ts";
import type { Account } from "../accounts.ts";
import { type HexAddress, toBase58Check } from "../addresses.ts";
import { type Bill, infoOf, type Outcome, receiptOf } from "./bill.ts";
import type { World } from "../world.ts";
import { ContractExecution, ContractValidation } from "../failures.ts";
import { Machine, Reverted, type SimulatedContract } from "./machine.ts";
import type { Message } from "../api/proto.ts";
import { int64, ownerOf, type Transaction } from "../transactions.ts";

export function runContract(world: World, transaction: Transaction, bill: Bill): Outcome {
  const { ledger, accounts, contracts, parameters } = world;
  const value = transaction.contracts[0]!.value!;
  const [owner, address] = [ownerOf(transaction), String(value.contract_address)];
  const contract = contracts.get(address);
  if (!contract) throw new ContractValidation("No contract or not a smart contract");
  const [feeLimit, callValue] = [int64(transaction.raw.fee_limit), int64(value.call_value)];
  if (feeLimit < 0n || feeLimit > parameters().getMaxFeeLimit) {
    throw new ContractValidation(
      `feeLimit must be >= 0 and <= ${parameters().getMaxFeeLimit}`,
    );
  }
  const account = accounts.get(owner)!;
  const limit = energyLimitOf(world, account, { feeLimit, callValue });
  const stake = accounts.energyLeft(account);
  if (account.balance < callValue) {
    throw new ContractValidation("Validate InternalTransfer error, balance is not sufficient.");
  }
  ledger.open();
  const run = callContract(world, {
    contract,
    caller: owner,
    value: callValue,
    data: String(value.data ?? ""),
    txId: transaction.txId,
    limit,
  });
  if (run.result === "SUCCESS") ledger.merge();
  else ledger.revert();
  const staked = run.energy < stake ? run.energy : stake;
  const energyFee = (run.energy - staked) * parameters().getEnergyFee;
  if (accounts.get(owner)!.balance < energyFee) {
    throw new ContractExecution(`${toBase58Check(owner)} insufficient balance`);
  }
  accounts.use(owner, "energy", staked);
  accounts.burn(owner, energyFee);
  const info = infoOf(transaction, { ...bill, extraFee: bill.extraFee + energyFee }, {
    contractResult: [run.returned],
    contract_address: address,
    receipt: receiptOf(bill, {
      energy_usage: staked,
      energy_fee: energyFee,
      energy_usage_total: run.energy,
      energy_penalty_total: run.penalty,
      result: run.result,
    }),
    log: run.logs,
    ...(run.error !== undefined && { result: "FAILED", resMessage: toHex(utf8(run.error)) }),
    internal_transactions: world.savesInternal() ? run.internal : [],
  });
  return { info, contractRet: run.result };
}

export interface Run {
  readonly result: "SUCCESS" | "REVERT" | "OUT_OF_ENERGY";
  readonly returned: string;
  readonly energy: bigint;
  readonly penalty: bigint;
  readonly logs: readonly Message[];
  readonly internal: readonly Message[];
  readonly error?: string;
}

/** Calls a contract in a layer that the caller opened, and takes back when the result is no SUCCESS. */
export function callContract(
  { accounts, contracts }: Pick<World, "accounts" | "contracts">,
  { contract, caller, value, data, txId, limit }: {
    readonly contract: SimulatedContract;
    readonly caller: HexAddress;
    readonly value: bigint;
    readonly data: string;
    readonly txId: string;
    readonly limit: bigint;
  },
): Run {
  const machine = new Machine(accounts, contracts, txId);
  const rejected = () => machine.internal.map((each) => ({ ...each, rejected: true }));
  const reported = () => ({ energy: machine.energy, penalty: machine.penalty });
  const outOfEnergy = (): Run => ({
    result: "OUT_OF_ENERGY",
    returned: "",
    energy: limit,
    penalty: 0n,
    logs: [],
    internal: rejected(),
    error: `Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[${limit}],` +
      ` curOpEnergy[20000], usedEnergy[${limit}]`,
  });
  try {
    if (value > 0n) accounts.move(caller, contract.address, value);
    const returned = contract.run({ machine, caller, value, data });
    if (machine.energy > limit) return outOfEnergy();
    const { logs, internal } = machine;
    return { result: "SUCCESS", returned, ...reported(), logs, internal };
  } catch (error) {
    if (!(error instanceof Reverted)) throw error;
    if (machine.energy > limit) return outOfEnergy();
    return {
      result: "REVERT",
      returned: error.data,
      ...reported(),
      logs: [],
      internal: rejected(),
      error: error.message,
    };
  }
}

/** The energy that a call can pay for: by stake, and by burning within fee_limit and balance. */
function energyLimitOf(
  { accounts, parameters }: World,
  account: Account,
  { feeLimit, callValue }: { readonly feeLimit: bigint; readonly callValue: bigint },
): bigint {
  const price = parameters().getEnergyFee;
  const free = account.balance - callValue;
  const available = accounts.energyLeft(account) + (free > 0n ? free / price : 0n);
  return feeLimit / price < available ? feeLimit / price : available;
}
