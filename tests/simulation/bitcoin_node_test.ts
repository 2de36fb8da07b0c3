import assert from "node:assert/strict";
import { isNotFound, refusalOf } from "../../src/chains/bitcoin/node/errors.ts";
import { PRESETS } from "../../src/chains/bitcoin/params.ts";
import { RpcReplyError } from "../../src/chains/pool/node_errors.ts";
import { type Litecoind, startLitecoind, WITHOUT_MWEB } from "../support/nodes/litecoind.ts";
import { BitcoinChain, type Block } from "./bitcoin_chain.ts";
import { BitcoinNode, KINDS } from "./bitcoin_node.ts";
import { readTx } from "./bitcoin_tx.ts";
import { newChainCounts } from "./ground.ts";
import { RpcError } from "./json_rpc.ts";
import { Random } from "./random.ts";

const PRESET = "LTC-REGTEST";
const NOTHING = "ab".repeat(32);
const PAYER = "payer";
/** What depends on clocks and on a node's own history: of these only the form is compared. */
const UNDETERMINED = new Set(["mempool_sequence", "feerate"]);
const CLOCK = "time";

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
type Ask = (method: string, params?: readonly unknown[]) => Promise<any>;

interface Both {
  readonly litecoind: Litecoind;
  readonly real: Ask;
  readonly simulated: Ask;
  readonly node: BitcoinNode;
  /** Sent to both. */
  send(raw: string): Promise<string>;
  /** A payment by the real one's wallet, which both have then. */
  pay(coins: number, to?: string): Promise<string>;
  mine(blocks?: number): Promise<void>;
  /** The simulated one is given what the real one has mined. */
  catchUp(): Promise<Block>;
  address(): Promise<string>;
}

async function startBoth(): Promise<Both & AsyncDisposable> {
  // What its wallet makes is sent by the test, to both.
  const litecoind = await startLitecoind({
    blocks: 103,
    args: [WITHOUT_MWEB, "-walletbroadcast=0"],
  });
  const real: Ask = (method, params = []) => litecoind.rpc(method, params);
  const first = await real("getblockheader", [PRESETS[PRESET].genesisHash]);
  const chain = new BitcoinChain({ hash: first.hash, atMs: first.time * 1_000 });
  const node = new BitcoinNode(chain, {
    ...{ kind: KINDS[PRESET], random: new Random(1), counts: newChainCounts(), rateRaw: 5_000n },
  });
  const simulated: Ask = async (method, params = []) =>
    await node.answer({ id: 1, method, params });
  const catchUp = async () => {
    const known = chain.head.branch;
    for (let height = known.length; height <= await real("getblockcount"); height++) {
      const hash = await real("getblockhash", [height]);
      const header = Uint8Array.fromHex(await real("getblockheader", [hash, false]));
      const { tx, time } = await real("getblock", [hash, 2]);
      const txs = tx.map(({ hex }: { hex: string }) => readTx(hex));
      chain.follow(chain.adopt(chain.head, { header, txs, atMs: time * 1_000 }));
    }
    return chain.head;
  };
  const send = async (raw: string) => {
    const txid = await simulated("sendrawtransaction", [raw]);
    assert.equal(txid, await real("sendrawtransaction", [raw]));
    return txid;
  };
  const address = () => litecoind.rpc("getnewaddress", ["", "bech32"], PAYER);
  await catchUp();
  return {
    ...{ litecoind, real, simulated, node, send, catchUp, address },
    pay: async (coins, to) => {
      const txid = await litecoind.pay(to ?? await address(), coins);
      const { hex } = await litecoind.rpc("gettransaction", [txid], PAYER);
      return await send(hex);
    },
    mine: async (blocks = 1) => {
      await litecoind.mine(blocks);
      await catchUp();
    },
    [Symbol.asyncDispose]: () => litecoind[Symbol.asyncDispose](),
  };
}

/** As far as the simulated node says it. */
function essence(answer: unknown, model: unknown, isEntry = false): unknown {
  if (Array.isArray(answer)) {
    return answer.map((one, i) => essence(one, Array.isArray(model) ? model[i] : undefined));
  }
  if (typeof answer !== "object" || answer === null) return answer;
  const said = Object(model) as Record<string, unknown>;
  const isOpen = (name: string) => UNDETERMINED.has(name) || isEntry && name === CLOCK;
  return Object.fromEntries(
    Object.entries(answer).filter(([name]) => name in said)
      .map(([name, value]) => [
        name,
        isOpen(name) ? typeof value : essence(value, said[name], "depends" in Object(value)),
      ])
      .sort(([one], [other]) => String(one) < String(other) ? -1 : 1),
  );
}

function sorted(answer: unknown): unknown {
  const { txids } = Object(answer);
  return txids ? { ...Object(answer), txids: [...txids].sort() } : answer;
}

/** What an answer is, or which refusal. */
async function said(ask: Ask, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return sorted(await ask(method, params));
  } catch (error) {
    const { code, text } = refusalIn(error);
    return { code, isNotFound: isNotFound(new RpcReplyError("node", { text, code })) };
  }
}

function refusalIn(error: unknown): { readonly code: number; readonly text: string } {
  if (error instanceof RpcError) return { code: error.code, text: error.message };
  const [, json] = /^\w+: (\{.*\})$/.exec(String((error as Error).message)) ?? [];
  if (json === undefined) throw error;
  const { code, message } = JSON.parse(json);
  return { code, text: message };
}

async function assertSame({ real, simulated }: Both, calls: readonly (readonly unknown[])[]) {
  for (const [method, ...params] of calls as [string, ...unknown[]][]) {
    const [ours, theirs] = [
      await said(simulated, method, params),
      await said(real, method, params),
    ];
    const isEntry = method === "getmempoolentry";
    assert.deepEqual(
      essence(ours, ours, isEntry),
      essence(theirs, ours, isEntry),
      `${method} ${JSON.stringify(params)}`,
    );
  }
}

Deno.test("the simulated Bitcoin node answers as litecoind does on the same chain", async () => {
  await using both = await startBoth();
  const { real, litecoind, node } = both;
  const to = await both.address();
  const mined = await both.pay(3, to);
  await both.mine(2);
  const parent = await both.pay(7);
  const child = await both.pay(101.5);
  const waiting = [parent, child];
  const height: number = await real("getblockcount");
  const hashes = await Promise.all(
    [0, 1, height - 1, height].map((at) => real("getblockhash", [at])),
  );
  const block = hashes[2];
  const scriptOf = async (txid: string, at: string) => {
    const { vout } = await real("getrawtransaction", [txid, true, at]);
    return vout.map((one: { scriptPubKey: { hex: string } }) => one.scriptPubKey.hex);
  };
  const minedIn = await real("getblockhash", [height - 1]);
  const scripts = await scriptOf(mined, minedIn);
  const outpoints = [mined, parent, child, NOTHING].flatMap((txid) =>
    [0, 1, 9].flatMap((vout) => [true, false].map((isAll) => ["gettxout", txid, vout, isAll]))
  );
  await assertSame(both, [
    ["getblockchaininfo"],
    ["getnetworkinfo"],
    ["getblockcount"],
    ["getbestblockhash"],
    ...[0, 1, height, height + 1].map((at) => ["getblockhash", at]),
    ...[...hashes, NOTHING].map((hash) => ["getblockheader", hash, true]),
    ...[...hashes.slice(1), NOTHING].map((hash) => ["getblock", hash, 0]),
    ["getrawmempool", false, true],
    ["getmempoolinfo"],
    ...[...waiting, mined, NOTHING].flatMap((txid) => [
      ["getrawtransaction", txid],
      ["getrawtransaction", txid, false, block],
      ["getmempoolentry", txid],
      ["getmempoolancestors", txid, true],
      ["getmempooldescendants", txid, true],
    ]),
    ["getrawtransaction", mined, false, NOTHING],
    ["getrawtransaction", mined, false, minedIn],
    ...outpoints,
    ["scantxoutset", "start", [`raw(${scripts[0]})`]],
    ["scantxoutset", "start", [`raw(0014${"00".repeat(20)})`]],
  ]);
  node.manner = "without estimates";
  await assertSame(both, [["estimatesmartfee", 3]]);
  node.manner = undefined;

  const left = await real("getbestblockhash");
  await litecoind.invalidate(minedIn);
  node.chain.follow(node.chain.head.branch[height - 2]!);

  await assertSame(both, [
    ["getblockchaininfo"],
    ["getblockheader", minedIn, true],
    ["getblockheader", left, true],
    ["getrawmempool", false, true],
    ["getmempoolentry", mined],
    ...outpoints,
  ]);
});

Deno.test("the simulated Bitcoin node refuses for the same reasons as litecoind", async () => {
  await using both = await startBoth();
  const { litecoind, real, simulated } = both;
  const { rpc } = litecoind;
  const to = await both.address();
  const [coin, other] = await rpc("listunspent", [], PAYER);
  const signed = async (
    coins: string,
    { of = coin, sequence = 0xfffffffd }: {
      of?: { txid: string; vout: number };
      sequence?: number;
    } = {},
  ): Promise<string> => {
    const { txid, vout } = of;
    const raw = await rpc("createrawtransaction", [[{ txid, vout, sequence }], [{ [to]: coins }]]);
    return (await rpc("signrawtransactionwithwallet", [raw], PAYER)).hex;
  };
  const assertRefused = async (refusals: Readonly<Record<string, string>>) => {
    for (const [what, raw] of Object.entries(refusals)) {
      for (const method of ["sendrawtransaction", "testmempoolaccept"]) {
        const params = method === "sendrawtransaction" ? [raw] : [[raw]];
        const why = async (ask: Ask) => {
          try {
            const answer = await ask(method, params);
            const [tried] = Array.isArray(answer) ? answer : [answer];
            const text = tried?.["reject-reason"];
            if (text === undefined) {
              return essence(tried, { txid: 1, allowed: 1, vsize: 1, fees: { base: 1 } });
            }
            return { refusal: refusalOf({ text }) };
          } catch (error) {
            const refused = refusalIn(error);
            return { code: refused.code, refusal: refusalOf(refused) };
          }
        };
        assert.deepEqual(await why(simulated), await why(real), `${method}: ${what}`);
      }
    }
  };
  const unsigned = await rpc("createrawtransaction", [
    [{ txid: coin.txid, vout: coin.vout }],
    [{ [to]: "49.9999" }],
  ]);
  const good = await signed("49.9999");
  const young = await real("getblock", [await real("getblockhash", [60]), 2]);
  await assertRefused({
    "unknown inputs": await rpc("createrawtransaction", [[{ txid: NOTHING, vout: 0 }], [{
      [to]: 1,
    }]]),
    "no transaction": "00",
    "too cheap": await signed("50"),
    "more than there is": await signed("50.1"),
    "dust": await signed("0.00001"),
    "too dear": await signed("49.7"),
    "unsigned": unsigned,
    "signed for another amount": good.replace(/^(.{10})(.{82})(.{2})(.)/, "$1$2$3$4"),
    "too young": await signed("49.9999", { of: { txid: young.tx[0].txid, vout: 0 } }),
  });
  await both.send(good);
  await assertRefused({
    "already there": good,
    "replaced for as much": await signed("49.99991"),
    "replaced for too little more": await signed("49.9998995"),
  });
  const better = await signed("49.9997");
  await both.send(better);
  await assertSame(both, [["getrawmempool", false, true]]);
  const final = await signed("49.9999", { of: other, sequence: 0xffffffff });
  await both.send(final);
  await assertRefused({
    "replaces what is final": await signed("49.99", { of: other }),
  });
  await both.mine();
  await assertRefused({ "mined": better, "spent": good });
  let last = { txid: await both.pay(40, to), vout: 0 };
  const { vout } = await rpc("decoderawtransaction", [
    await real("getrawtransaction", [last.txid]),
  ]);
  const at = vout.findIndex((one: { value: number }) => one.value === 40);
  last = { ...last, vout: at };
  for (let i = 1; i < 25; i++) {
    const coins = (40 - i * 0.001).toFixed(3);
    last = { txid: await both.send(await signed(coins, { of: last })), vout: 0 };
  }
  await assertRefused({ "too long a chain": await signed("39.9", { of: last }) });
  await assertSame(both, [["getmempoolentry", last.txid], ["getrawmempool", false, true]]);
});
