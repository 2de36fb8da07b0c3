import { toHex, utf8 } from "../../../base/bytes.ts";
import type { Account } from "../account.ts";
import { type HexAddress, toBase58Check } from "../addresses.ts";
import { type Bill, infoOf, type Outcome, receiptOf } from "./bill.ts";
import type { World } from "../world.ts";
import { ContractExecution, ContractValidation } from "../failures.ts";
import { Machine, Reverted, type SimulatedContract } from "./machine.ts";
import { int64In, type Message, textIn } from "../api/values.ts";
import { contractOf, ownerOf, type Transaction } from "../transactions.ts";

export function runContract(world: World, transaction: Transaction, bill: Bill): Outcome {
  const { ledger, accounts, parameters } = world;
  const { value = {} } = contractOf(transaction);
  const owner = ownerOf(transaction);
  const order = orderOf(world, transaction);
  const stake = accounts.energyLeft(accounts.known(owner));
  ledger.open();
  const run = callContract(world, order);
  if (run.result === "SUCCESS") ledger.merge();
  else ledger.revert();
  const staked = run.energy < stake ? run.energy : stake;
  const energyFee = (run.energy - staked) * parameters().getEnergyFee;
  if (accounts.known(owner).balance < energyFee) {
    throw new ContractExecution(`${toBase58Check(owner)} insufficient balance`);
  }
  accounts.use(owner, "energy", staked);
  accounts.burn(owner, energyFee);
  const energy = {
    energy_usage: staked,
    energy_fee: energyFee,
    energy_usage_total: run.energy,
    energy_penalty_total: run.penalty,
    result: run.result,
  };
  const info = infoOf(transaction, { ...bill, extraFee: bill.extraFee + energyFee }, {
    contractResult: [run.returned],
    contract_address: textIn(value.contract_address),
    receipt: receiptOf(bill, energy),
    log: run.logs,
    ...(run.error !== undefined && { result: "FAILED", resMessage: toHex(utf8(run.error)) }),
    internal_transactions: world.savesInternal() ? run.internal : [],
  });
  return { info, contractRet: run.result };
}

/** Throws if it can't be run. */
function orderOf(world: World, transaction: Transaction): CallOrder {
  const { accounts, contracts, parameters } = world;
  const { value = {} } = contractOf(transaction);
  const owner = ownerOf(transaction);
  const contract = contracts.get(textIn(value.contract_address));
  if (!contract) throw new ContractValidation("No contract or not a smart contract");
  const [feeLimit, callValue] = [int64In(transaction.raw.fee_limit), int64In(value.call_value)];
  if (feeLimit < 0n || feeLimit > parameters().getMaxFeeLimit) {
    throw new ContractValidation(`feeLimit must be >= 0 and <= ${parameters().getMaxFeeLimit}`);
  }
  const account = accounts.known(owner);
  if (account.balance < callValue) {
    throw new ContractValidation("Validate InternalTransfer error, balance is not sufficient.");
  }
  return {
    contract,
    caller: owner,
    value: callValue,
    data: textIn(value.data),
    txId: transaction.txId,
    limit: energyLimitOf(world, account, { feeLimit, callValue }),
  };
}

interface CallOrder {
  readonly contract: SimulatedContract;
  readonly caller: HexAddress;
  readonly value: bigint;
  readonly data: string;
  readonly txId: string;
  readonly limit: bigint;
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

/** Calls a contract in the caller's layer, and undoes it if the result isn't SUCCESS. */
export function callContract(
  { accounts, contracts }: Pick<World, "accounts" | "contracts">,
  { contract, caller, value, data, txId, limit }: CallOrder,
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
