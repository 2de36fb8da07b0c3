import { at, chunksOf } from "../../base/lists.ts";
import type { NextNonce } from "../chain.ts";
import { NodeError } from "../faults.ts";
import { isFallenSilent, majorityOf } from "../pool/asking/answers.ts";
import type { Pool } from "../pool/endpoints.ts";
import { safeNumber } from "./decode.ts";
import type { Rpc } from "./rpc.ts";

const ADDRESSES_PER_BODY = 100;

/** In as few requests as possible, to each endpoint. Throws if none answers. */
export async function readNextNonces(
  pool: Pool<Rpc>,
  addresses: readonly string[],
): Promise<NextNonce[]> {
  if (addresses.length === 0) return [];
  const answers = await pool.each((rpc) => noncesOn(rpc, addresses));
  const said = answers.flatMap((answer) => answer.ok ? [answer.value] : []);
  if (said.length === 0) {
    const errors = answers.flatMap((answer) => answer.ok ? [] : [answer.error]);
    throw new NodeError(errors.map(({ message }) => message).join("; "), { cause: errors });
  }
  const most = majorityOf(said.length, pool.quorum);
  const isWhole = !answers.some(isFallenSilent);
  return addresses.map((_, i) => {
    const nonces = said.map((each) => at(each, i));
    const [lowest, highest] = [Math.min(...nonces), Math.max(...nonces)];
    const byMost = nonces.toSorted((a, b) => b - a)[most - 1] ?? 0;
    return { lowest, highest, byMost, isAgreed: isWhole && lowest === highest };
  });
}

async function noncesOn(rpc: Rpc, addresses: readonly string[]): Promise<number[]> {
  const nonces: number[] = [];
  for (const some of chunksOf(addresses, ADDRESSES_PER_BODY)) {
    const answers = await rpc.results(some.map((address) => ({
      method: "eth_getTransactionCount",
      params: [address, "latest"],
    })));
    nonces.push(...answers.map((nonce) => safeNumber(nonce, "a nonce")));
  }
  return nonces;
}
