import { makeBlock, makeTransaction } from "../../chains/bitcoin/blocks.ts";
import { seededRandom } from "../../domain/random.ts";
import { PRESETS } from "../../../src/chains/bitcoin/params.ts";

const TRANSACTIONS = 5_000;
/** With them a block has 4 MB, most of it signatures. */
const WITNESS_BYTES = 315;
const START_AT = 1_767_225_600;

/** A node of a chain of blocks as large as blocks can be, which answers about it at once. */
export interface BlockNode extends AsyncDisposable {
  readonly url: string;
  readonly blocks: number;
  readonly bytesPerBlock: number;
}

interface Stored {
  readonly hash: string;
  readonly parent: string | undefined;
  readonly height: number;
  readonly time: number;
  /** Within quotes, as it is answered. */
  readonly hex: string;
}

// deno-lint-ignore no-explicit-any -- our own program asks
type Params = readonly any[];

export function startBlockNode({ blocks }: { blocks: number }): BlockNode {
  const chain = makeChain(blocks);
  const answers = answersOf(chain);
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (asked) => {
      const calls: { id: number; method: string; params: Params }[] = await asked.json();
      const items = calls.map(({ id, method, params }) => {
        const answer = answers[method];
        if (
          !answer
        ) return `{"id":${id},"result":null,"error":{"code":-32601,"message":"${method}"}}`;
        return `{"id":${id},"error":null,"result":${answer(params)}}`;
      });
      return new Response(`[${items.join(",")}]`);
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    blocks,
    bytesPerBlock: chain.at(-1)!.hex.length / 2,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function makeChain(blocks: number): Stored[] {
  const random = seededRandom(1);
  const made = { inputs: 2, outputs: 2, witnessBytes: WITNESS_BYTES };
  const first = PRESETS["BTC-REGTEST"].genesisHash;
  const chain: Stored[] = [{ hash: first, parent: undefined, height: 0, time: START_AT, hex: "" }];
  for (let height = 1; height <= blocks; height++) {
    const { hash: parent } = chain.at(-1)!;
    const block = makeBlock(
      Array.from({ length: TRANSACTIONS }, () => makeTransaction(random, made)),
    );
    block.prevHash = Uint8Array.fromHex(parent).reverse();
    block.timestamp = START_AT + 600 * height;
    const { hex, time } = { hex: block.toHex(), time: block.timestamp };
    chain.push({ hash: block.getId(), parent, height, time, hex });
  }
  return chain;
}

function answersOf(chain: readonly Stored[]): Record<string, (params: Params) => string> {
  const tip = chain.at(-1)!;
  const byHash = new Map(chain.map((one) => [one.hash, one]));
  const always = (value: unknown) => () => JSON.stringify(value);
  return {
    getblockchaininfo: always({
      ...{ chain: "regtest", blocks: tip.height, headers: tip.height, bestblockhash: tip.hash },
      ...{ initialblockdownload: false, pruned: false },
    }),
    getnetworkinfo: always({
      ...{ version: 280_000, subversion: "/Satoshi:28.0.0/", incrementalfee: 0.00001 },
    }),
    getmempoolinfo: always({ size: 0, mempoolminfee: 0.00001, loaded: true }),
    getrawmempool: always({ txids: [], mempool_sequence: 1 }),
    estimatesmartfee: always({ feerate: 0.0001, blocks: 3 }),
    getblockhash: ([height]) => JSON.stringify(chain[height]!.hash),
    getblockheader: ([hash]) => {
      const { height, time, parent } = byHash.get(hash)!;
      const confirmations = tip.height - height + 1;
      return JSON.stringify({ hash, height, time, confirmations, previousblockhash: parent });
    },
    getblock: ([hash]) => `"${byHash.get(hash)!.hex}"`,
  };
}
