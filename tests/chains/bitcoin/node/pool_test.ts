import assert from "node:assert/strict";
import { type BitcoinNode, openNode } from "../../../../src/chains/bitcoin/node/node.ts";
import { PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { openPool } from "../../../../src/chains/pool/open_pool.ts";
import type { Protocol } from "../../../../src/chains/pool/protocol.ts";
import { closedUrl } from "../../../support/nodes/closed_url.ts";
import { startLitecoind } from "../../../support/nodes/litecoind.ts";

const { genesisHash } = PRESETS["LTC-REGTEST"];

/** The least that a pool asks of a family. */
const protocol: Protocol<BitcoinNode> = {
  open: openNode(PRESETS["LTC-REGTEST"]),
  identityOn: async (node) => {
    const [hash] = await node.blockHashes([0]);
    return { chainId: hash!, genesisHash: hash! };
  },
  headOn: () => Promise.reject(new NodeError("not asked")),
  refOn: () => Promise.reject(new NodeError("not asked")),
};

Deno.test("a pool asks the next node where one is gone or refuses, and shows no password", async () => {
  await using litecoind = await startLitecoind({ blocks: 1 });
  const gone = closedUrl().replace("//", "//cpg:k3y-0f-a-gone-node@");
  const refusing = litecoind.url.replace("k3y-0f-litecoind", "k3y-0f-nobody");
  const expected = { code: "LTC-REGTEST", chainId: genesisHash, genesisHash };
  const pool = openPool(protocol, { rpcUrls: [gone, refusing, litecoind.url], expected });

  const { height } = await pool.read((node) => node.chainInfo());

  assert.equal(height, 1);
  const health = pool.health(() => null);
  assert.deepEqual(health.map(({ isReachable }) => isReachable), [false, false, true]);
  assert.match(health[1]?.lastError ?? "", /refuses the name or password of its URL \(401\)$/);
  assert.doesNotMatch(JSON.stringify(health), /k3y|cpg/);
});
