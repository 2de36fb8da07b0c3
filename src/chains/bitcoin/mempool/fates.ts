import type { BlockAt, OutputFate } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { readAgreed } from "../../pool/agreed.ts";
import type { Pool } from "../../pool/endpoints.ts";
import { readOutpoint } from "../../../domain/outpoint.ts";
import type { BitcoinNode } from "../node/node.ts";

/** With a quorum, so many say alike what is unspent; of what waits, any of them knows. */
export async function fatesOf(
  pool: Pool<BitcoinNode>,
  { height, hash }: BlockAt,
  texts: readonly string[],
): Promise<OutputFate[]> {
  const outpoints = texts.map((text) => {
    const { txHash: txid, position: vout } = readOutpoint(text);
    return { txid, vout };
  });
  const areThere = await readAgreed(pool, {
    height,
    ask: async (node) => {
      await checkNewest(node, hash);
      const found = await node.unspent(outpoints, { withMempool: false });
      await checkNewest(node, hash);
      return found.map((one) => one !== undefined);
    },
    textOf: String,
  });
  const missing = outpoints.filter((_, i) => !areThere[i]).map(({ txid }) => txid);
  const waiting = await waitingAmong(pool, [...new Set(missing)]);
  return outpoints.map(({ txid }, i) =>
    areThere[i] ? "unspent" : waiting.has(txid) ? "waiting" : "gone"
  );
}

/** A node doesn't say at which block something was missing. */
async function checkNewest(node: BitcoinNode, hash: string): Promise<void> {
  const newest = await node.chainInfo();
  if (newest.hash === hash) return;
  throw new NodeError(`${node.host} is at another block, ${newest.height}`);
}

async function waitingAmong(
  pool: Pool<BitcoinNode>,
  txids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (txids.length === 0) return new Set();
  const answers = await pool.each((node) => node.mempoolEntries(txids));
  const found = answers.flatMap((answer) => answer.ok ? [answer.value] : []);
  return new Set(txids.filter((_, i) => found.some((entries) => entries[i] !== undefined)));
}
