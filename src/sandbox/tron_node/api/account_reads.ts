import { type Account, accountIn, usedNow } from "../account.ts";
import { fromBase58Check, isHexAddress, toBase58Check } from "../addresses.ts";
import { print, sparse } from "./proto.ts";
import type { Reading } from "./reads.ts";
import { ACCOUNT } from "./answer_schemas.ts";
import type { Message } from "./values.ts";
import { topOf } from "./view.ts";

const TOTAL_NET_WEIGHT = 26_000_000_000n;
const TOTAL_ENERGY_WEIGHT = 19_000_000_000n;

/** `{}` for an address that was never activated. */
export function getAccount({ view, request }: Reading): Message {
  const account = accountIn(view.state, request.address("address"));
  return account ? print(ACCOUNT, accountMessage(account), request.visible) : {};
}

export function getAccountNet(reading: Reading): Message {
  const account = accountIn(reading.view.state, reading.request.address("address"));
  return account ? sparse(netOf(reading, account)) : {};
}

export function getAccountResource(reading: Reading): Message {
  const { chain, view, request } = reading;
  const account = accountIn(view.state, request.address("address"));
  if (!account) return {};
  return sparse({
    ...netOf(reading, account),
    EnergyUsed: usedNow(account.energy, topOf(view).timestampMs),
    EnergyLimit: account.energyLimit,
    TotalEnergyLimit: chain.chainParameters.getTotalEnergyCurrentLimit,
    TotalEnergyWeight: TOTAL_ENERGY_WEIGHT,
  });
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

function netOf({ chain, view }: Reading, account: Account): Message {
  const nowMs = topOf(view).timestampMs;
  return {
    freeNetUsed: usedNow(account.freeNet, nowMs),
    freeNetLimit: chain.chainParameters.getFreeNetLimit,
    NetUsed: usedNow(account.net, nowMs),
    NetLimit: account.netLimit,
    TotalNetLimit: chain.chainParameters.getTotalNetLimit,
    TotalNetWeight: TOTAL_NET_WEIGHT,
  };
}

function accountMessage(account: Account): Message {
  const isNormal = account.type === "Normal";
  return {
    address: account.address,
    type: account.type,
    balance: account.balance,
    net_usage: account.net.used,
    create_time: BigInt(account.createdAtMs),
    latest_opration_time: BigInt(account.operatedAtMs),
    free_net_usage: account.freeNet.used,
    latest_consume_time: BigInt(account.net.atMs),
    latest_consume_free_time: BigInt(account.freeNet.atMs),
    ...(isNormal && {
      owner_permission: account.owner,
      active_permission: account.actives,
    }),
    frozenV2: [{}, { type: "ENERGY" }, { type: "TRON_POWER" }],
    assetV2: Object.entries(account.assets).map(([key, value]) => ({ key, value })),
  };
}
