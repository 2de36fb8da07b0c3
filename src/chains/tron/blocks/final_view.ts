import type { SeenPayment, SeenTransaction } from "../../seen_transaction.ts";
import { answersOfAll } from "../../pool/asking/answers.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import { movedBetween, type TokenMove } from "../../token_moves.ts";
import { hexOfAddress } from "../address.ts";
import { isEmpty } from "../decode.ts";
import { decodeInfo, type TransactionInfo } from "./decode_info.ts";
import type { NodeView, TronNode } from "../node.ts";
import { hasInfoFailed, hasInfoSucceeded, innerPayments, tokenPayments } from "./payments.ts";
import { readTransferLogs } from "../trc20.ts";

const CALLS_AT_ONCE = 8;

/**
 * Results were first read by height while their block could still change. Here they are read once
 * it can't, by a quorum of endpoints.
 */
export async function readFinalView(
  pool: Pool<TronNode>,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const ask = (node: TronNode) => finalViewOn(node, seen);
  if (pool.quorum === 1) return await withoutDenied(pool, { seen, standing: await pool.read(ask) });
  const asked = new Set(seen.map(({ txHash }) => txHash));
  const lacking = (views: readonly ReadonlySet<string>[], txHash: string) =>
    pool.quorum - views.filter((view) => view.has(txHash)).length;
  const { values } = await pool.several(ask, {
    height: Math.max(0, ...seen.map(({ height }) => height)),
    missing: (views) => Math.max(...[...asked].map((txHash) => lacking(views, txHash))),
  });
  return new Set([...asked].filter((txHash) => lacking(values, txHash) <= 0));
}

/** Money is given back for failures, so no endpoint may contradict one. */
async function withoutDenied(
  pool: Pool<TronNode>,
  { seen, standing }: { seen: readonly SeenTransaction[]; standing: ReadonlySet<string> },
): Promise<ReadonlySet<string>> {
  const failed = seen.filter((one) => !one.succeeded && standing.has(one.txHash))
    .map(({ txHash }) => txHash);
  if (failed.length === 0) return standing;
  const answers = await pool.each((node) => succeededOn(node, failed));
  return standing.difference(new Set(answersOfAll(answers).flat()));
}

async function succeededOn(node: TronNode, txHashes: readonly string[]): Promise<string[]> {
  const infos = await infosOn(node, txHashes);
  return txHashes.filter((_, i) => infos[i] && hasInfoSucceeded(infos[i]));
}

function infosOn(node: TronNode, txHashes: readonly string[]) {
  return mapBounded(txHashes, {
    concurrencyMax: CALLS_AT_ONCE,
    work: (txHash) => infoOn(node, { txHash, view: "walletsolidity" }),
  });
}

async function finalViewOn(
  node: TronNode,
  seen: readonly SeenTransaction[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Set(seen.map(({ txHash }) => txHash))];
  const answers = await infosOn(node, asked);
  const infos = new Map(asked.map((txHash, i) => [txHash, answers[i]]));
  const wrong = new Set(
    seen.filter((one) => !isAsSeen(infos.get(one.txHash), one))
      .map(({ txHash }) => txHash),
  );
  return new Set(asked.filter((txHash) => !wrong.has(txHash)));
}

/** Undefined if this view of the chain has no such transaction. */
export async function infoOn(
  node: TronNode,
  { txHash, view }: { txHash: string; view: NodeView },
): Promise<TransactionInfo | undefined> {
  const answer = await node.ask(`${view}/gettransactioninfobyid`, { value: txHash });
  if (isEmpty(answer)) return undefined;
  const info = await decodeInfo(answer);
  return info.txHash === txHash ? info : undefined;
}

/** Money is given back for failures, so a failure must be explicit: a missing field proves nothing. */
function isAsSeen(
  info: TransactionInfo | undefined,
  { height, succeeded, payment, arrival }: SeenTransaction,
): boolean {
  if (info?.height !== height) return false;
  if (!succeeded) return hasInfoFailed(info);
  return hasInfoSucceeded(info) && (!payment || isPaid(info, payment)) &&
    (!arrival || hasArrived(info, arrival));
}

/** A coin transfer's amount is part of the bytes that its id vouches for. */
function isPaid(
  info: TransactionInfo,
  { contract, position, to, amountRaw }: SeenPayment,
): boolean {
  if (contract === null && position === 0) return true;
  const payments = contract === null
    ? innerPayments(info)
    : tokenPayments(info, new Set([hexOfAddress(contract)]));
  return payments.some((one) =>
    one.position === position && one.to === hexOfAddress(to) && one.amountRaw === amountRaw
  );
}

function hasArrived({ logs }: TransactionInfo, { amountRaw, ...ends }: TokenMove): boolean {
  const { contract, from, to } = ends;
  const movedRaw = movedBetween(readTransferLogs(logs), {
    contract: hexOfAddress(contract),
    from: hexOfAddress(from),
    to: hexOfAddress(to),
  });
  return movedRaw === amountRaw;
}
