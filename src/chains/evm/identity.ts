import { type Identity, NodeError } from "../chain.ts";
import { quantity } from "./decode.ts";
import { decodeRef } from "./decode_block.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Rpc } from "./rpc.ts";

/** One endpoint of another chain among ours would credit money that is not there. */
export async function readIdentity(endpoints: Endpoints): Promise<Identity> {
  const answers = await endpoints.each(identityOn);
  const known = answers.flatMap((answer) => answer.ok ? [answer] : []);
  const [first, ...others] = known;
  if (!first) {
    const errors = answers.flatMap((answer) => answer.ok ? [] : [answer.error.message]);
    throw new NodeError(errors.join("; "));
  }
  const other = others.find(({ value }) => textOf(value) !== textOf(first.value));
  if (other) {
    throw new Error(
      `Nodes of one network are on different chains: ${first.host} on ${textOf(first.value)}, ` +
        `${other.host} on ${textOf(other.value)}`,
    );
  }
  return first.value;
}

async function identityOn(rpc: Rpc): Promise<Identity> {
  const [chainId, genesis] = await rpc.results([
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["0x0", false] },
  ]);
  return {
    chainId: quantity(chainId, "a chain id").toString(),
    genesisHash: decodeRef(genesis, 0).hash,
  };
}

function textOf({ chainId, genesisHash }: Identity): string {
  return `chain ${chainId} with genesis ${genesisHash}`;
}
