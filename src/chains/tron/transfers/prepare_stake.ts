import { present } from "../../../base/assert.ts";
import type { StakeOrder } from "../../energy.ts";
import { NodeError } from "../../faults.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { RpcReplyError } from "../../pool/node_errors.ts";
import { aboveFeeMax, type PriceOptions } from "../../price.ts";
import type { Preflight, TransferRefused } from "../../transfer.ts";
import { accountOn, agreedPrices, type Prices, resourcesOn } from "../account.ts";
import { hexOfAddress } from "../address.ts";
import { isEmpty, type Json, safeNumber } from "../decode.ts";
import type { TronNode } from "../node.ts";
import { solidOn } from "../refs.ts";
import { type Ends, refusalOf, reverts, unaffordable } from "./_checks.ts";
import { bandwidthFee, bytesOnChain } from "./costs.ts";
import type { StakeCall, TronDetail } from "./transaction.ts";

export async function prepareStake(
  pool: Pool<TronNode>,
  { order, price }: { order: StakeOrder; price: PriceOptions },
): Promise<Preflight> {
  const prices = await agreedPrices(pool);
  return await pool.read((node) => prepareStakeOn(node, { order, price, prices }));
}

async function prepareStakeOn(
  node: TronNode,
  { order, price, prices }: { order: StakeOrder; price: PriceOptions; prices: Prices },
): Promise<Preflight> {
  const call = callOf(order);
  const { from } = call;
  const [sender, resources, { height, hash }, refused] = await Promise.all([
    accountOn(node, { address: from }),
    resourcesOn(node, from),
    solidOn(node),
    refusedBy(node, call),
  ]);
  if (!sender) return unaffordable("the account is not activated: it never had a coin");
  const refusal = refusalOf({ from, to: "to" in call ? call.to : "", sender }) ?? refused;
  if (refusal) return refusal;
  return stakeBetween({ resources, prices, refBlock: { height, hash } }, { order, price });
}

/** Unchecked: by what is known of the account. */
export function stakeBetween(
  { resources, prices, refBlock }: Pick<Ends, "resources" | "prices" | "refBlock">,
  { order, price }: { order: StakeOrder; price: PriceOptions },
): Preflight {
  const call = callOf(order);
  const detail: TronDetail = { refBlock, call, feeLimitRaw: 0n };
  const bytes = bytesOnChain(detail);
  const stakedRaw = call.kind === "stake" ? call.amountRaw : 0n;
  const nativeCostAfter = (others: number) =>
    stakedRaw + bandwidthFee(bytes, { resources, prices, others });
  const nativeCostMaxRaw = nativeCostAfter(0);
  const charge = { gas: 0n, maxRaw: bytes * prices.perByteRaw };
  const feeAtMostRaw = nativeCostMaxRaw - stakedRaw;
  const costs = { nativeCostMaxRaw, nativeCostAfter, feeAtMostRaw, charge };
  const request = { from: order.from, to: order.from, contract: null, amountRaw: 0n };
  return aboveFeeMax(charge, price) ?? { kind: "ready", prepared: { request, ...costs, detail } };
}

function callOf({ kind, from, to, amountRaw }: StakeOrder): StakeCall {
  const owner = { from: hexOfAddress(from) };
  if (kind === "collect") return { kind, ...owner };
  if (kind === "stake" || kind === "unstake") return { kind, ...owner, amountRaw };
  return { kind, ...owner, to: hexOfAddress(present(to, `${kind} names nobody`)), amountRaw };
}

/** The calls that build the same transaction. What they build is never looked at. */
const TRIALS: Readonly<Record<StakeCall["kind"], string>> = {
  stake: "freezebalancev2",
  unstake: "unfreezebalancev2",
  collect: "withdrawexpireunfreeze",
  lend: "delegateresource",
  take_back: "undelegateresource",
};

const INVALID = /ContractValidateException : (.*)/s;

/** A node that is asked to build a transaction checks it as if it were sent. */
async function refusedBy(node: TronNode, call: StakeCall): Promise<TransferRefused | undefined> {
  try {
    const built = await node.ask(`wallet/${TRIALS[call.kind]}`, trialOf(call));
    if (!isEmpty(built)) return undefined;
    throw new NodeError(`${node.host} does not say whether it would accept it`);
  } catch (error) {
    const [, reason] = error instanceof RpcReplyError ? INVALID.exec(error.text) ?? [] : [];
    if (reason === undefined) throw error;
    return reverts(reason.trim());
  }
}

function trialOf(call: StakeCall): Json {
  const owner = { owner_address: call.from, resource: "ENERGY" };
  switch (call.kind) {
    case "collect":
      return { owner_address: call.from };
    case "stake":
      return { ...owner, frozen_balance: safeNumber(call.amountRaw, "a stake") };
    case "unstake":
      return { ...owner, unfreeze_balance: safeNumber(call.amountRaw, "a stake") };
    case "lend":
    case "take_back":
      return { ...owner, receiver_address: call.to, balance: safeNumber(call.amountRaw, "a loan") };
  }
}
