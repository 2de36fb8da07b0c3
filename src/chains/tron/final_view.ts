import type { SeenPayment, SeenTransaction } from "../chain.ts";
import { mapBounded } from "../pool/map_bounded.ts";
import { hexOfAddress } from "./address.ts";
import { isEmpty } from "./decode.ts";
import { decodeInfo, type TransactionInfo } from "./decode_info.ts";
import type { NodeView, TronNode } from "./node.ts";
import { hasInfoSucceeded, innerPayments, tokenPayments } from "./payments.ts";

const CALLS_AT_ONCE = 8;

/** Results were read by height while their block could still change; here they are read for good. */
export async function finalViewOn(
  node: TronNode,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(seen.map(({ txHash }) => txHash))];
  const answers = await mapBounded(asked, {
    concurrencyMax: CALLS_AT_ONCE,
    work: (txHash) => infoOn(node, { txHash, view: "walletsolidity" }),
  });
  const infos = new Map(asked.map((txHash, i) => [txHash, answers[i]]));
  const wrong = new Set(
    seen.filter((one) => !isAsSeen(infos.get(one.txHash), one))
      .map(({ txHash }) => txHash),
  );
  return new Set(asked.filter((txHash) => !wrong.has(txHash)));
}

/** Undefined where this view of the chain has no such transaction. */
export async function infoOn(
  node: TronNode,
  { txHash, view }: { txHash: string; view: NodeView },
): Promise<TransactionInfo | undefined> {
  const answer = await node.ask(`${view}/gettransactioninfobyid`, { value: txHash });
  if (isEmpty(answer)) return undefined;
  const info = decodeInfo(answer);
  return info.txHash === txHash ? info : undefined;
}

function isAsSeen(
  info: TransactionInfo | undefined,
  { height, succeeded, payment }: SeenTransaction,
): boolean {
  if (info?.height !== height) return false;
  const hasDone = hasInfoSucceeded(info) && (payment === null || isPaid(info, payment));
  return hasDone === succeeded;
}

/** The amount of a coin transfer is part of what its id vouches for. */
function isPaid(
  info: TransactionInfo,
  { contract, position, to, amountRaw }: SeenPayment,
): boolean {
  if (contract === null && (position === null || position === 0)) return true;
  const payments = contract === null
    ? innerPayments(info)
    : tokenPayments(info, new Set([hexOfAddress(contract)]));
  return payments.some((one) =>
    (position === null || one.position === position) && one.to === hexOfAddress(to) &&
    (amountRaw === null || one.amountRaw === amountRaw)
  );
}
