import { at, zip } from "../../../base/lists.ts";
import type { BalanceAsked, BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { answersOfAll } from "../../pool/asking/answers.ts";
import { readAgreed } from "../../pool/agreed.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { isBorneOut, type LoggedMove } from "../../token_moves.ts";
import { decodeLog } from "../blocks/decode_receipt.ts";
import { logsCall } from "../blocks/scan_blocks.ts";
import { list } from "../decode.ts";
import { readTransferLog } from "../erc20.ts";
import { balancesOn } from "../held.ts";
import { type AtHash, refOn } from "../refs.ts";
import type { Rpc } from "../rpc.ts";

interface Asked {
  readonly block: BlockAt;
  readonly moves: readonly LoggedMove[];
}

/** Null: the token tells no balance. */
type Verdict = boolean | null;

/**
 * Money that didn't move is swept again, so no endpoint may contradict that: one that shows the
 * balance gone is enough.
 */
export async function readBorneOut(pool: Pool<Rpc>, asked: Asked): Promise<Verdict[]> {
  const { height } = asked.block;
  const ask = (rpc: Rpc) => borneOutOn(rpc, asked);
  const verdicts = await readAgreed(pool, { height, ask, textOf: String });
  // With a quorum, several nodes have already agreed on it.
  if (verdicts.every(isTrue) || pool.quorum > 1) return verdicts;
  const all = [verdicts, ...answersOfAll(await pool.each(ask))];
  return verdicts.map((_, i) => best(all.map((one) => at(one, i))));
}

function isTrue(verdict: Verdict): boolean {
  return verdict === true;
}

function best(verdicts: readonly Verdict[]): Verdict {
  return verdicts.includes(true) || (verdicts.includes(false) ? false : null);
}

async function borneOutOn(rpc: Rpc, { block, moves }: Asked): Promise<Verdict[]> {
  const ref = await refOn(rpc, block.height);
  if (ref?.hash !== block.hash) {
    throw new NodeError(`${rpc.host} does not have block ${block.hash}`);
  }
  const [before, after] = await Promise.all([
    balancesIn(rpc, { hash: ref.parentHash, moves }),
    balancesIn(rpc, { hash: ref.hash, moves }),
  ]);
  const lost = zip(before, after).map(([beforeRaw, afterRaw]) =>
    beforeRaw === null || afterRaw === null ? null : beforeRaw - afterRaw
  );
  const judge = (receivedBy: (move: LoggedMove) => bigint) =>
    zip(moves, lost).map(([move, raw]) =>
      raw === null ? null : isBorneOut(move, raw + receivedBy(move))
    );
  const verdicts = judge(() => 0n);
  if (!verdicts.includes(false)) return verdicts;
  return judge(await receivedIn(rpc, { block, moves }));
}

/** Null where there is none: of a node that has the block, that is the token's doing. */
async function balancesIn(
  rpc: Rpc,
  { hash, moves }: { hash: string; moves: readonly LoggedMove[] },
): Promise<(bigint | null)[]> {
  const block: AtHash = { blockHash: hash, requireCanonical: true };
  const slots = moves.map(({ from: address, contract }): BalanceAsked => ({ address, contract }));
  // Its coins, which the chain itself counts, are known unless the block isn't.
  const [, ...tokens] = await balancesOn(rpc, {
    slots: [{ address: at(moves, 0).from, contract: null }, ...slots],
    block,
  });
  return tokens.map((raw) => raw instanceof NodeError ? null : raw);
}

/**
 * By the logs of the block and not by the books, which leave out what our own transactions brought:
 * whoever is paid by one of them may pass tokens on to any address.
 */
async function receivedIn(
  rpc: Rpc,
  { block, moves }: Asked,
): Promise<(move: LoggedMove) => bigint> {
  const { method, params } = logsCall(block.hash, [
    ...new Set(moves.map(({ contract }) => contract)),
  ]);
  const logs = list(await rpc.call(method, params), "logs").map(decodeLog);
  const received = logs.flatMap((log) => readTransferLog(log) ?? []);
  return ({ contract, from }) =>
    received.filter((one) => one.contract === contract && one.to === from)
      .reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
}
