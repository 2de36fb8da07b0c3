import type { Account } from "../account.ts";
import type { Accounts } from "../accounts.ts";
import { changePermissions } from "./permissions.ts";
import { type Bill, infoOf, type Outcome, receiptOf } from "./bill.ts";
import { ContractValidation, ResourceInsufficient } from "../failures.ts";
import { type HexAddress, isHexAddress, toBase58Check } from "../addresses.ts";
import { runContract } from "./run_contract.ts";
import { STAKING } from "./stake.ts";
import { int64In, type Message } from "../api/values.ts";
import { contractOf, ownerOf, type Transaction } from "../transactions.ts";
import type { World } from "../world.ts";

const RESULT_BYTES = 64n;

/** Runs a checked transaction in a layer that the caller opened. Throws if it is refused. */
export function execute(world: World, transaction: Transaction): Outcome {
  const bill: Bill = { netUsage: 0n, netFee: 0n, fee: 0n, extraFee: 0n };
  payBandwidth(world, transaction, bill);
  payExtras(world, transaction, bill);
  const { type, value = {} } = contractOf(transaction);
  if (type === "TriggerSmartContract") return runContract(world, transaction, bill);
  const staking = STAKING[type];
  if (staking) {
    staking.check(world, value);
    const withdrawn = staking.run(world, value) ?? 0n;
    const rest = { contractResult: [""], receipt: receiptOf(bill, {}) };
    const info = infoOf(transaction, bill, { ...rest, withdraw_expire_amount: withdrawn });
    return { info, contractRet: "SUCCESS" };
  }
  if (type === "TransferContract") transferTrx(world, value, bill);
  else if (type === "TransferAssetContract") transferAsset(world, value, bill);
  else if (type === "AccountPermissionUpdateContract") changePermissions(world, value, bill);
  else throw new Error(`The node does not simulate ${type}`);
  const info = infoOf(transaction, bill, { contractResult: [""], receipt: receiptOf(bill, {}) });
  return { info, contractRet: "SUCCESS" };
}

function payBandwidth({ accounts, parameters }: World, transaction: Transaction, bill: Bill): void {
  const bytes = BigInt(transaction.size) + RESULT_BYTES;
  const owner = ownerOf(transaction);
  const account = accounts.get(owner);
  if (!account) throw new ContractValidation(`account [${base58(owner)}] does not exist`);
  const isCreation = createsAccount(accounts, transaction);
  if (accounts.netLeft(account) >= bytes) {
    accounts.use(owner, "net", bytes);
    bill.netUsage = bytes;
  } else if (!isCreation && accounts.freeNetLeft(account) >= bytes) {
    accounts.use(owner, "freeNet", bytes);
    bill.netUsage = bytes;
  } else {
    const { getCreateAccountFee, getTransactionFee } = parameters();
    bill.netFee = isCreation ? getCreateAccountFee : bytes * getTransactionFee;
    burnOr(accounts, owner, bill.netFee);
  }
}

function payExtras({ accounts, parameters }: World, transaction: Transaction, bill: Bill): void {
  const { getMemoFee, getMultiSignFee } = parameters();
  if (transaction.signatures.length > 1) bill.extraFee += getMultiSignFee;
  if (transaction.raw.data !== undefined) bill.extraFee += getMemoFee;
  burnOr(accounts, ownerOf(transaction), bill.extraFee);
}

function burnOr(accounts: Accounts, owner: HexAddress, sun: bigint): void {
  if (accounts.known(owner).balance < sun) {
    throw new ResourceInsufficient(`account [${base58(owner)}] has insufficient balance`);
  }
  accounts.burn(owner, sun);
}

function createsAccount(accounts: Accounts, transaction: Transaction): boolean {
  const { type, value } = contractOf(transaction);
  return (type === "TransferContract" || type === "TransferAssetContract") &&
    !accounts.get(String(value?.to_address));
}

function transferTrx(world: World, value: Message, bill: Bill): void {
  const { accounts, parameters } = world;
  const sun = int64In(value.amount);
  validateTransfer(world, value);
  const [owner, to] = [String(value.owner_address), String(value.to_address)];
  if (!accounts.get(to)) bill.fee += parameters().getCreateNewAccountFeeInSystemContract;
  accounts.burn(owner, bill.fee);
  accounts.move(owner, to, sun);
}

/** Refuses what cannot be paid, in the order and the words of TransferActuator. */
export function validateTransfer({ accounts, contracts, parameters }: World, value: Message): void {
  const sun = int64In(value.amount);
  const [owner, to] = [String(value.owner_address ?? ""), String(value.to_address ?? "")];
  if (!isHexAddress(owner)) throw new ContractValidation("Invalid ownerAddress!");
  if (!isHexAddress(to)) throw new ContractValidation("Invalid toAddress!");
  if (to === owner) throw new ContractValidation("Cannot transfer TRX to yourself.");
  const account = accounts.get(owner);
  if (!account) {
    throw new ContractValidation("Validate TransferContract error, no OwnerAccount.");
  }
  if (sun <= 0n) throw new ContractValidation("Amount must be greater than 0.");
  const receiver = accounts.get(to);
  const chain = parameters();
  if (receiver?.type === "Contract") {
    if (chain.getForbidTransferToContract === 1n) {
      throw new ContractValidation("Cannot transfer TRX to a smartContract.");
    }
    if (chain.getAllowTvmCompatibleEvm === 1n && contracts.get(to)?.version === 1) {
      throw new ContractValidation(
        "Cannot transfer TRX to a smartContract which version is one. Instead please use TriggerSmartContract ",
      );
    }
  }
  const fee = receiver ? 0n : chain.getCreateNewAccountFeeInSystemContract;
  if (account.balance < sun + fee) {
    throw new ContractValidation("Validate TransferContract error, balance is not sufficient.");
  }
}

function transferAsset({ accounts, parameters }: World, value: Message, bill: Bill): void {
  const [owner, to] = [String(value.owner_address), String(value.to_address)];
  const [asset, amount] = [new TextDecoder().decode(fromAsset(value)), int64In(value.amount)];
  if (to === owner) throw new ContractValidation("Cannot transfer asset to yourself.");
  if (amount <= 0n) throw new ContractValidation("Amount must be greater than 0.");
  const held = accounts.known(owner).assets[asset];
  if (held === undefined) throw new ContractValidation("assetBalance must be greater than 0.");
  if (held < amount) throw new ContractValidation("assetBalance is not sufficient.");
  if (!accounts.get(to)) {
    bill.fee += parameters().getCreateNewAccountFeeInSystemContract;
    accounts.burn(owner, bill.fee);
    accounts.create(to);
  }
  const add = (change: bigint) => (account: Account): Account => ({
    ...account,
    assets: { ...account.assets, [asset]: (account.assets[asset] ?? 0n) + change },
  });
  accounts.change(owner, add(-amount));
  accounts.change(to, add(amount));
}

function base58(address: string): string {
  return isHexAddress(address) ? toBase58Check(address) : address;
}

function fromAsset(value: Message): Uint8Array {
  return Uint8Array.fromHex(String(value.asset_name ?? ""));
}
