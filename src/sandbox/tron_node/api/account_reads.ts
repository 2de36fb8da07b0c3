import { type Account, accountIn, slotIn } from "../account.ts";
import { quotaOf, totalIn } from "../accounts.ts";
import { fromBase58Check, isHexAddress, toBase58Check } from "../addresses.ts";
import { lendable, loanKey } from "../contracts/stake.ts";
import { increase, type Resource, type Total, usedNow } from "../resources.ts";
import { print, sparse } from "./proto.ts";
import type { Reading } from "./reads.ts";
import { ACCOUNT, LOAN } from "./answer_schemas.ts";
import type { Message } from "./values.ts";
import { topOf } from "./view.ts";

/** `{}` for an address that was never activated. */
export function getAccount({ view, request }: Reading): Message {
  const account = accountIn(view.state, request.address("address"));
  return account
    ? print(ACCOUNT, accountMessage(account, topOf(view).timestampMs), request.visible)
    : {};
}

export function getAccountNet(reading: Reading): Message {
  const account = accountIn(reading.view.state, reading.request.address("address"));
  return account ? sparse(netOf(reading, account)) : {};
}

export function getAccountResource(reading: Reading): Message {
  const { view, request } = reading;
  const account = accountIn(view.state, request.address("address"));
  if (!account) return {};
  const total = totalOf(reading, "ENERGY");
  return sparse({
    ...netOf(reading, account),
    EnergyUsed: usedNow(account.energy, topOf(view).timestampMs),
    EnergyLimit: quotaOf(account, "ENERGY", total),
    TotalEnergyLimit: total.limit,
    TotalEnergyWeight: total.weight,
  });
}

/** What one account lends to another. Of each kind, all of it can be taken back at any time. */
export function getDelegatedResource({ view, request }: Reading): Message {
  const [from, to] = [request.address("fromAddress"), request.address("toAddress")];
  const lent = (resource: Resource) => slotIn(view.state, loanKey(resource, { from, to }));
  const loan = sparse({
    frozen_balance_for_bandwidth: lent("BANDWIDTH"),
    frozen_balance_for_energy: lent("ENERGY"),
  });
  if (Object.keys(loan).length === 0) return {};
  return { delegatedResource: [print(LOAN, { from, to, ...loan }, request.visible)] };
}

export function getDelegatedResourceAccountIndex({ view, request }: Reading): Message {
  const address = request.address("value");
  const account = accountIn(view.state, address);
  if (!account) return {};
  const shown = request.visible ? toBase58Check : (hex: string) => hex;
  return sparse({
    account: shown(address),
    fromAccounts: account.borrowedFrom.map(shown),
    toAccounts: account.lentTo.map(shown),
  });
}

/** Less than 1 TRX is nothing, because so little can't be lent. */
export function getCanDelegatedMaxSize(reading: Reading): Message {
  const { view, request } = reading;
  const account = accountIn(view.state, request.address("owner_address"));
  const resource = request.number("type") === 1 ? "ENERGY" : "BANDWIDTH";
  if (!account) return {};
  const sun = lendable(account, resource, {
    total: totalOf(reading, resource),
    nowMs: topOf(view).timestampMs,
  });
  return sparse({ max_size: sun < 1_000_000n ? 0n : sun });
}

/** Only checks the letters, without asking the chain. */
export function validateAddress({ request }: Reading): Message {
  const text = request.text("address");
  if (isHexAddress(text)) return { result: true, message: "Hex string format" };
  if (text.length !== 34) return { result: false, message: "Length error" };
  const hex = fromBase58Check(text);
  return hex !== undefined && isHexAddress(hex)
    ? { result: true, message: "Base58check format" }
    : { result: false, message: "Invalid address" };
}

export function getContract({ chain, request }: Reading): Message {
  const contract = chain.contracts.get(request.address("value"));
  if (!contract) return {};
  const address = request.visible ? toBase58Check : (hex: string) => hex;
  return sparse({
    origin_address: address(contract.origin),
    contract_address: address(contract.address),
    abi: {},
    bytecode: "00",
    name: contract.name,
    consume_user_resource_percent: 100n,
    origin_energy_limit: 1_000_000_000n,
    code_hash: "00".repeat(32),
    version: contract.version,
  });
}

export function getContractInfo(reading: Reading): Message {
  const { chain, request } = reading;
  const contract = chain.contracts.get(request.address("value"));
  if (!contract) return {};
  return {
    smart_contract: getContract(reading),
    runtimecode: "00",
    contract_state: sparse({
      energy_usage: 236_150n,
      energy_factor: contract.energyFactor,
      update_cycle: 1n,
    }),
  };
}

function totalOf({ chain, view }: Reading, resource: Resource): Total {
  return totalIn(view.state, resource, chain.chainParameters);
}

function netOf(reading: Reading, account: Account): Message {
  const nowMs = topOf(reading.view).timestampMs;
  const total = totalOf(reading, "BANDWIDTH");
  return {
    freeNetUsed: usedNow(account.freeNet, nowMs),
    freeNetLimit: reading.chain.chainParameters.getFreeNetLimit,
    NetUsed: usedNow(account.net, nowMs),
    NetLimit: quotaOf(account, "BANDWIDTH", total),
    TotalNetLimit: total.limit,
    TotalNetWeight: total.weight,
  };
}

function accountMessage(account: Account, nowMs: number): Message {
  const { frozen, lent, borrowed } = account;
  const isNormal = account.type === "Normal";
  const [net, energy] = [increase(account.net, 0n, nowMs), increase(account.energy, 0n, nowMs)];
  return {
    address: account.address,
    type: account.type,
    balance: account.balance,
    net_usage: net.used,
    create_time: BigInt(account.createdAtMs),
    latest_opration_time: BigInt(account.operatedAtMs),
    free_net_usage: usedNow(account.freeNet, nowMs),
    latest_consume_time: BigInt(account.net.atMs),
    latest_consume_free_time: BigInt(account.freeNet.atMs),
    net_window_size: net.window,
    net_window_optimized: true,
    account_resource: {
      energy_usage: energy.used,
      latest_consume_time_for_energy: BigInt(account.energy.atMs),
      energy_window_size: energy.window,
      delegated_frozenV2_balance_for_energy: lent.ENERGY,
      acquired_delegated_frozenV2_balance_for_energy: borrowed.ENERGY,
      energy_window_optimized: true,
    },
    ...(isNormal && {
      owner_permission: account.owner,
      active_permission: account.actives,
    }),
    frozenV2: [
      { amount: frozen.BANDWIDTH },
      { type: "ENERGY", amount: frozen.ENERGY },
      { type: "TRON_POWER" },
    ],
    unfrozenV2: account.unfreezing.map(({ type, sun, expiresAtMs }) => ({
      type,
      unfreeze_amount: sun,
      unfreeze_expire_time: BigInt(expiresAtMs),
    })),
    delegated_frozenV2_balance_for_bandwidth: lent.BANDWIDTH,
    acquired_delegated_frozenV2_balance_for_bandwidth: borrowed.BANDWIDTH,
    assetV2: Object.entries(account.assets).map(([key, value]) => ({ key, value })),
  };
}
