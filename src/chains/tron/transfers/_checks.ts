import type { TransferRefused } from "../../transfer.ts";
import type { Charge } from "../../price.ts";
import { type Account, accountOn, type Prices, type Resources, resourcesOn } from "../account.ts";
import { bandwidthFee, bytesOnChain } from "./costs.ts";
import type { TronNode } from "../node.ts";
import { solidOn } from "../refs.ts";
import type { TronDetail } from "./transaction.ts";
import { readTransferLogs, type Trial } from "../trc20.ts";

export const INT64_MAX = 2n ** 63n - 1n;

/** All but the prices come from one node. */
export interface Ends {
  readonly sender: Account | undefined;
  readonly receiver: Account | undefined;
  readonly resources: Resources;
  readonly prices: Prices;
  readonly refBlock: TronDetail["refBlock"];
}

export async function endsOn(
  node: TronNode,
  { from, to, prices }: { from: string; to: string; prices: Prices },
): Promise<Ends> {
  const [sender, receiver, resources, { height, hash }] = await Promise.all([
    accountOn(node, { address: from }),
    accountOn(node, { address: to }),
    resourcesOn(node, from),
    solidOn(node),
  ]);
  return { sender, receiver, resources, prices, refBlock: { height, hash } };
}

/** For coins and tokens alike: the key alone must be enough, and the recipient must not be the sender. */
export function refusalOf(
  { from, to, sender }: { from: string; to: string; sender: Account | undefined },
): TransferRefused | undefined {
  if (from === to) return reverts("nothing can be sent to the address that it comes from");
  if (sender?.isOwnKeyEnough === false) {
    return reverts(
      "the permissions of the sender were changed: its key alone cannot sign any more",
    );
  }
  return undefined;
}

/** A contract would lose the coins, or the chain would refuse them. */
export function refusalOfCoins(ends: Ends): TransferRefused | undefined {
  if (!ends.sender) return unaffordable("the sender is not activated: it never had a coin");
  if (ends.receiver?.isContract) return reverts("the receiver is a contract, which takes no coins");
  return undefined;
}

/** The first coins to an address activate it, which costs the sender more than the bytes. */
export function coinsFee(
  detail: TronDetail,
  { receiver, resources, prices, others = 0 }: Ends & { others?: number },
): bigint {
  if (!receiver) return prices.activationRaw;
  return bandwidthFee(bytesOnChain(detail), { resources, prices, others });
}

/** Ignores current allowances, because they may be used up when it is mined. */
export function coinsCharge(detail: TronDetail, { receiver, prices }: Ends): Charge {
  const bytesRaw = bytesOnChain(detail) * prices.perByteRaw;
  return { gas: 0n, maxRaw: receiver ? bytesRaw : bytesRaw + prices.activationRaw };
}

/**
 * The best-known token answers "false" even when it pays, so only its log proves the payment.
 * Without this check, a payment logged by another contract would look like none once mined and wait
 * for an operator.
 */
export function refusalOfTrial(
  trial: Trial,
  { contract, to }: { contract: string; to: string },
): TransferRefused | undefined {
  if (trial.kind === "failed") return reverts(trial.reason);
  const isLogged = trial.logs === undefined ||
    readTransferLogs(trial.logs).some((move) => move.contract === contract && move.to === to);
  return isLogged ? undefined : reverts("the token would not move, or not log its transfer");
}

export function unaffordable(reason: string): TransferRefused {
  return { kind: "refused", cause: "unaffordable", reason };
}

export function reverts(reason: string): TransferRefused {
  return { kind: "refused", cause: "reverts", reason };
}
