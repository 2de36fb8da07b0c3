import assert from "node:assert/strict";
import { amountRaw } from "../../../../src/chains/bitcoin/node/decode.ts";
import {
  PrunedBlock,
  refusalOf,
  type SendRefusal,
} from "../../../../src/chains/bitcoin/node/errors.ts";
import { type BitcoinNode, openNode } from "../../../../src/chains/bitcoin/node/node.ts";
import { PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { NodeError, UnfitNode } from "../../../../src/chains/faults.ts";
import { RpcFailure, RpcReplyError } from "../../../../src/chains/pool/node_errors.ts";
import { seededRandom } from "../../../domain/random.ts";

const URL_WITH_KEY = "http://cpg:pw%2F1@127.0.0.1:8332/wallet/x";
const HASH = "00000000000000000000c2fbb2c1b3b1c2f2d3e4f5061728394a5b6c7d8e9f00";
const TXID = "ab".repeat(32);

interface Asked {
  readonly method: string;
  readonly params: readonly unknown[];
}
type Said = { readonly result: unknown } | { readonly error: unknown };

/** A node that answers what a test says, in the form of an older or of a newer Core. */
function nodeThat(
  say: (asked: Asked) => Said,
  { isOld = false, seen = [] as Request[] } = {},
): BitcoinNode {
  const answer = async (url: string | URL | Request, init?: RequestInit) => {
    const request = new Request(url, init);
    seen.push(request.clone());
    const calls: (Asked & { id: number })[] = await request.json();
    // Core 28 and later leave out what isn't there; earlier ones say null.
    const rest = isOld ? { result: null, error: null } : { jsonrpc: "2.0" };
    return Response.json(calls.map((call) => ({ ...rest, ...say(call), id: call.id })));
  };
  return nodeWith(answer as typeof fetch);
}

function nodeWith(answer: typeof fetch): BitcoinNode {
  const line = { fetch: answer, timeoutMs: 1_000, gate: <T>(send: () => Promise<T>) => send() };
  return openNode(PRESETS.BTC)(URL_WITH_KEY)(line);
}

function failing(status: number, text = ""): BitcoinNode {
  return nodeWith(() => Promise.resolve(new Response(text, { status })));
}

async function failure(asked: Promise<unknown>): Promise<Error> {
  const error = await asked.then(() => undefined, (error) => error);
  assert.ok(error instanceof NodeError, `${error}`);
  return error;
}

Deno.test("name and password go into a header, and never into the URL that is asked", async () => {
  const seen: Request[] = [];
  const node = nodeThat(() => ({ result: TXID }), { seen });
  await node.send("00");
  const [request] = seen;
  assert.equal(request?.url, "http://127.0.0.1:8332/wallet/x");
  assert.equal(request.headers.get("authorization"), `Basic ${btoa("cpg:pw/1")}`);
  assert.equal(node.host, "127.0.0.1:8332");
});

/**
 * Answers are as Bitcoin Core's src/rpc/*.cpp make them, abridged; what changed when is in its
 * doc/release-notes, by version: 28.0 (strict JSON-RPC 2.0, lists of warnings, "outputs already in
 * utxo set"), 30.0 (mempool-script-verify-flag-failed, 0.1 sat/vB), 31.0 (clusters).
 */
const CHAIN_INFO = {
  chain: "main",
  blocks: 850_000,
  headers: 850_001,
  bestblockhash: HASH,
  difficulty: 83148355189239.77,
  time: 1_719_000_000,
  mediantime: 1_718_999_000,
  verificationprogress: 0.9999,
  initialblockdownload: false,
  chainwork: "00",
  size_on_disk: 1_000_000,
  pruned: false,
};

for (const isOld of [true, false]) {
  Deno.test(`answers in the form of Core ${isOld ? "27 and before" : "28 and later"} are read`, async () => {
    const answers: Record<string, Said> = {
      // Core 28 made `warnings` a list.
      getblockchaininfo: { result: { ...CHAIN_INFO, warnings: isOld ? "" : [] } },
      getblockhash: { error: { code: -8, message: "Block height out of range" } },
      getblockheader: { error: { code: -5, message: "Block not found" } },
      getblock: { error: { code: -5, message: "Block not found" } },
      getrawtransaction: {
        error: {
          code: -5,
          message: "No such mempool transaction. Use -txindex or provide a block hash to enable " +
            "blockchain transaction queries. Use gettransaction for wallet transactions.",
        },
      },
      getmempoolentry: { error: { code: -5, message: "Transaction not in mempool" } },
      getmempoolancestors: { error: { code: -5, message: "Transaction not in mempool" } },
      gettxout: { result: null },
      estimatesmartfee: {
        result: { errors: ["Insufficient data or no feerate found"], blocks: 3 },
      },
      sendrawtransaction: { error: { code: -26, message: "min relay fee not met, 1 < 141" } },
      scantxoutset: {
        error: {
          code: -8,
          message: 'Scan already in progress, use action "abort" or "status"',
        },
      },
    };
    const node = nodeThat(({ method }) => answers[method]!, { isOld });
    assert.deepEqual(await node.chainInfo(), {
      height: 850_000,
      hash: HASH,
      headerHeight: 850_001,
      isSyncing: false,
      prunedBelow: null,
    });
    assert.deepEqual(await node.blockHashes([900_000]), [undefined]);
    assert.deepEqual(await node.headers([HASH]), [undefined]);
    assert.equal(await node.rawBlock({ height: 7, hash: HASH }), undefined);
    assert.deepEqual(await node.rawTransactions([TXID]), [undefined]);
    assert.deepEqual(await node.mempoolEntries([TXID]), [undefined]);
    assert.equal(await node.relatives(TXID, "ancestors"), undefined);
    const outpoint = { txid: TXID, vout: 0 };
    assert.deepEqual(await node.unspent([outpoint], { withMempool: true }), [undefined]);
    assert.equal(await node.estimateFee(3), null);
    assert.equal(await node.scan(["00"], { timeoutMs: 10 }), null);
    const error = await failure(node.send("00"));
    assert.ok(error instanceof RpcReplyError);
    assert.equal(refusalOf(error), "fee_too_low");
  });
}

/** src/rpc/mempool.cpp: what each version says besides what all say. */
const MEMPOOLS = [
  { core: "24 to 29", info: { fullrbf: false }, entry: { "bip125-replaceable": true } },
  {
    core: "30",
    info: { fullrbf: true, permitbaremultisig: true, maxdatacarriersize: 100_000 },
    entry: { "bip125-replaceable": true },
  },
  {
    core: "31",
    info: { fullrbf: true, limitclustercount: 64, limitclustersize: 101_000, optimal: true },
    entry: { "bip125-replaceable": true, chunkweight: 561, fees: { chunk: 0.00000141 } },
  },
  {
    // Neither `fullrbf` nor `bip125-replaceable` without -deprecatedrpc.
    core: "32",
    info: { limitclustercount: 64, limitclustersize: 101_000, optimal: true },
    entry: {
      ...{ vsize_adjusted: 141, vsize_bip141: 141, chunkweight: 561 },
      fees: { chunk: 0.00000141 },
    },
  },
];

for (const { core, info, entry } of MEMPOOLS) {
  Deno.test(`a mempool and what waits in it are read as Core ${core} describes them`, async () => {
    const family = (whose: string) => ({ [`${whose}count`]: 2, [`${whose}size`]: 282 });
    const { fees, ...others } = { fees: {}, ...entry };
    const waiting = {
      ...{ vsize: 141, weight: 561, time: 1, height: 1, wtxid: TXID, unbroadcast: false },
      ...{ ...family("descendant"), ...family("ancestor"), ...others },
      fees: {
        ...{ base: 0.00000141, modified: 0.00000141, ...fees },
        ...{ ancestor: 0.00000282, descendant: 0.00000423 },
      },
      ...{ depends: [TXID], spentby: [] },
    };
    const answers: Record<string, unknown> = {
      getmempoolinfo: {
        ...{ loaded: true, size: 3, bytes: 900, usage: 5_000, total_fee: 0.00001 },
        ...{ maxmempool: 3e8, mempoolminfee: 0.000001, minrelaytxfee: 0.000001 },
        ...{ incrementalrelayfee: 0.000001, unbroadcastcount: 0, ...info },
      },
      getmempoolentry: waiting,
      getmempooldescendants: { [TXID]: waiting },
    };
    const node = nodeThat(({ method }) => ({ result: answers[method] }));
    assert.deepEqual(await node.mempoolInfo(), {
      transactions: 3,
      minFeeRaw: 100n,
      isLoaded: true,
    });
    const read = {
      ...{ vsize: 141, feeRaw: 141n, parents: [TXID], children: [] },
      ancestors: { count: 2, vsize: 282, feesRaw: 282n },
      descendants: { count: 2, vsize: 282, feesRaw: 423n },
    };
    assert.deepEqual(await node.mempoolEntries([TXID]), [read]);
    assert.deepEqual(await node.relatives(TXID, "descendants"), new Map([[TXID, read]]));
  });
}

Deno.test("what a newer node says is read: fees, an output, a trial, a scan", async () => {
  const answers: Record<string, unknown> = {
    estimatesmartfee: { feerate: 0.00012345, blocks: 3 },
    getnetworkinfo: {
      ...{ version: 300000, subversion: "/Satoshi:30.0.0/", incrementalfee: 0.000001 },
    },
    gettxout: {
      ...{ bestblock: HASH, confirmations: 0, value: 20999999.9769 / 2, coinbase: true },
      scriptPubKey: { asm: "", desc: "", hex: "51", type: "nonstandard" },
    },
    testmempoolaccept: [{
      ...{ txid: TXID, wtxid: TXID, allowed: true, vsize: 141 },
      fees: { base: 0.00001, "effective-feerate": 0.00007092, "effective-includes": [TXID] },
    }],
    getrawmempool: { txids: [TXID], mempool_sequence: 77 },
    scantxoutset: {
      ...{ success: true, txouts: 1, height: 5, bestblock: HASH, total_amount: 1 },
      unspents: [{
        ...{ txid: TXID, vout: 1, scriptPubKey: "0014", desc: "raw(0014)#x", amount: 1 },
        ...{ coinbase: false, height: 4, blockhash: HASH, confirmations: 2 },
      }],
    },
  };
  const node = nodeThat(({ method }) => ({ result: answers[method] }));
  assert.equal(await node.estimateFee(3), 12_345n);
  assert.equal((await node.networkInfo()).incrementalFeeRaw, 100n);
  const [output] = await node.unspent([{ txid: TXID, vout: 0 }], { withMempool: true });
  assert.deepEqual([output?.valueRaw, output?.isCoinbase], [1_049_999_998_845_000n, true]);
  assert.deepEqual(await node.testAccept("00"), { isAccepted: true, vsize: 141, feeRaw: 1_000n });
  assert.deepEqual(await node.mempool(), { txids: [TXID], sequence: 77 });
  assert.equal((await node.scan(["0014"], { timeoutMs: 10 }))?.outputs[0]?.valueRaw, 100_000_000n);
});

/** What each means; from the source of these versions, and from answers of their nodes. */
const REFUSED: readonly (readonly [SendRefusal, where: string, text: string])[] = [
  // src/validation.cpp
  ["known", "0.21 to 32", "txn-already-in-mempool"],
  ["known", "0.21 to 32", "txn-already-known"],
  ["known", "22 to 32", "txn-same-nonwitness-data-in-mempool"],
  // src/util/error.cpp, src/common/messages.cpp
  ["known", "0.21 to 27", "Transaction already in block chain"],
  ["known", "28 to 32", "Transaction outputs already in utxo set"],
  ["missing_inputs", "0.21 to 32", "bad-txns-inputs-missingorspent"],
  ["missing_inputs", "testmempoolaccept", "missing-inputs"],
  [
    "fee_too_high",
    "0.21 to 32",
    "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)",
  ],
  ["fee_too_high", "testmempoolaccept", "max-fee-exceeded"],
  // src/policy/rbf.cpp
  [
    "replacement_too_low",
    "0.21 to 32",
    `insufficient fee, rejecting replacement ${TXID}; new feerate 0.00001 BTC/kvB <= old feerate 0.00002 BTC/kvB`,
  ],
  [
    "replacement_too_low",
    "0.21 to 32",
    `insufficient fee, rejecting replacement ${TXID}, less fees than conflicting txs; 0.00 < 0.00000141`,
  ],
  [
    "replacement_too_low",
    "0.21 to 32",
    `insufficient fee, rejecting replacement ${TXID}, not enough additional fees to relay; 0.00 < 0.00000141`,
  ],
  [
    "replacement_too_low",
    "31 to 32",
    "replacement-failed, insufficient feerate: does not improve feerate diagram",
  ],
  [
    "replacement_too_low",
    "24 to 32",
    `too many potential replacements, rejecting replacement ${TXID}; too many potential replacements (101 > 100)`,
  ],
  ["conflict", "0.21", "txn-mempool-conflict"],
  [
    "conflict",
    "0.21 to 30",
    "replacement-adds-unconfirmed, replacement contains new unconfirmed input",
  ],
  [
    "conflict",
    "0.21 to 32",
    `bad-txns-spends-conflicting-tx, ${TXID} spends conflicting transaction`,
  ],
  ["fee_too_low", "0.21 to 32", "min relay fee not met, 100 < 141"],
  ["fee_too_low", "0.21 to 32", "mempool min fee not met, 141 < 282"],
  ["fee_too_low", "0.21 to 32", "mempool full"],
  ["dust", "0.21 to 28", "dust"],
  ["dust", "29 to 32", "dust, tx with dust output must be 0-fee"],
  [
    "chain_too_long",
    "0.21 to 30",
    `too-long-mempool-chain, too many descendants for tx ${TXID} [limit: 25]`,
  ],
  ["chain_too_long", "31 to 32", "too-large-cluster"],
  ["too_early", "0.21 to 32", "non-final"],
  ["too_early", "0.21 to 32", "non-BIP68-final"],
  [
    "too_early",
    "0.21 to 32",
    "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 1",
  ],
  [
    "invalid",
    "0.21 to 29",
    "mandatory-script-verify-flag-failed (Script failed an OP_EQUALVERIFY operation)",
  ],
  ["invalid", "0.21 to 29", "non-mandatory-script-verify-flag (Witness program hash mismatch)"],
  [
    "invalid",
    "30 to 32",
    "mempool-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)",
  ],
  ["invalid", "0.21 to 32", "bad-txns-in-belowout, value in (0.1) < value out (0.2)"],
  ["invalid", "0.21 to 32", "tx-size"],
  ["invalid", "0.21 to 32", "scriptpubkey"],
  [
    "invalid",
    "25 to 32",
    "Unspendable output exceeds maximum configured by user (maxburnamount)",
  ],
  ["unclear", "32, with -privatebroadcast", "Private broadcast queue is full"],
  ["invalid", "0.21 to 32", "TX decode failed. Make sure the tx has at least one input."],
  ["unclear", "of any", "Transaction rejected by mempool"],
  ["unclear", "of any", "the dust of ages"],
];

for (const [meaning, where, text] of REFUSED) {
  Deno.test(`${meaning}: ${text.slice(0, 60)} (${where})`, () => {
    assert.equal(refusalOf({ text }), meaning);
  });
}

for (
  const text of [
    "Block not available (pruned data)",
    "Block not found on disk",
    "Block not available (not fully downloaded)",
  ]
) {
  Deno.test(`a block that is only known by its header is no unknown one: ${text}`, async () => {
    const node = nodeThat(({ method }) =>
      method === "getblock"
        ? { error: { code: -1, message: text } }
        : { result: { ...CHAIN_INFO, pruned: true, pruneheight: 800_000 } }
    );
    const said = async (height: number) => {
      const error = await failure(node.rawBlock({ height, hash: HASH }));
      assert.ok(error instanceof PrunedBlock);
      return error.message;
    };
    assert.equal(
      await said(799_999),
      "127.0.0.1:8332 has deleted block 799999 (pruned below 800000): give the network a node " +
        "that still has it, even for an hour, or rescan from a later block",
    );
    assert.equal(
      await said(800_000),
      `127.0.0.1:8332 has only the header of block 800000: ${text}`,
    );
  });
}

Deno.test("a node that is starting has seen no transaction, whatever it was sent", async () => {
  const node = nodeThat(() => ({ error: { code: -28, message: "Verifying blocks…" } }));
  const error = await failure(node.send("00"));
  assert.ok(error instanceof RpcFailure && error.kind === "unsent", `${error}`);
  assert.equal(error.message, "127.0.0.1:8332 is still starting: Verifying blocks…");
});

Deno.test("a full queue asks for a pause; a name or address that is refused puts a node out", async () => {
  for (const status of [500, 503, 429]) {
    const error = await failure(failing(status, "Work queue depth exceeded").chainInfo());
    assert.ok(error instanceof RpcFailure && error.kind === "rate_limited", `${error}`);
  }
  for (const status of [401, 403]) {
    assert.ok(await failure(failing(status).chainInfo()) instanceof UnfitNode);
  }
  const other = await failure(failing(404).chainInfo());
  assert.ok(other instanceof RpcFailure && other.kind === "http_status");
});

Deno.test("what a node repeats of name and password is not shown", async () => {
  const said = `no: ${URL_WITH_KEY} Basic ${btoa("cpg:pw/1")}`;
  const node = nodeThat(() => ({ error: { code: -1, message: said } }));
  const error = await failure(node.send("00"));
  assert.ok(error instanceof RpcReplyError);
  assert.doesNotMatch(`${error.message} ${error.text} ${error.stack}`, /Y3BnOnB3LzE|pw/);
  const lost = nodeWith(() => Promise.reject(new TypeError(`error sending to ${URL_WITH_KEY}`)));
  assert.doesNotMatch((await failure(lost.chainInfo())).message, /pw/);
});

Deno.test("answers are bounded, and asked for in smaller parts where they are too large", async () => {
  let calls = 0;
  const raw = "ab".repeat(5_000_000);
  const node = nodeThat(({ method }) => {
    calls++;
    return { result: method === "getblock" ? raw : "cd".repeat(3_000_000) };
  });
  const error = await failure(node.rawBlock({ height: 7, hash: HASH }));
  assert.ok(error instanceof RpcFailure && error.kind === "too_large", `${error}`);
  calls = 0;
  const read = await node.rawTransactions(Array.from({ length: 12 }, () => TXID));
  assert.deepEqual(read.map((one) => one?.length), Array.from({ length: 12 }, () => 3_000_000));
  assert.equal(calls, 24);
});

Deno.test("answers that don't fit the question are of no use", async () => {
  const odd: readonly unknown[] = [null, 1, "x", [], {}, { blocks: -1 }, {
    ...CHAIN_INFO,
    blocks: 1.5,
  }];
  for (const result of odd) {
    const node = nodeThat(() => ({ result }));
    await failure(node.chainInfo());
    await failure(node.mempool());
    await failure(node.headers([HASH]));
    await failure(node.blockHashes([1]));
    await failure(node.send("00"));
    await failure(node.testAccept("00"));
    await failure(node.scan([], { timeoutMs: 1 }));
    await failure(node.rawTransactions([TXID]));
    if (result !== null) {
      await failure(node.unspent([{ txid: TXID, vout: 0 }], { withMempool: true }));
    }
  }
  const other = nodeThat(() => ({ result: { hash: TXID, height: 1, confirmations: 1, time: 1 } }));
  assert.match((await failure(other.headers([HASH]))).message, /came instead of/);
});

Deno.test("amounts are exact as nodes write them", () => {
  const random = seededRandom(8);
  const written = (raw: bigint) =>
    `${raw / 100_000_000n}.${(raw % 100_000_000n).toString().padStart(8, "0")}`;
  for (let round = 0; round < 200_000; round++) {
    const raw = BigInt(random.below(2 ** 32)) * BigInt(random.below(2 ** 18));
    assert.equal(amountRaw(JSON.parse(written(raw)), "an amount"), raw);
  }
  const most = 2n ** 24n * 100_000_000n;
  for (const raw of [0n, 1n, most - 1n, most]) {
    assert.equal(amountRaw(JSON.parse(written(raw)), "an amount"), raw);
  }
  for (const wrong of [-0.1, NaN, Infinity, 2 ** 24 + 1, "1", null]) {
    assert.throws(() => amountRaw(wrong, "an amount"), NodeError);
  }
});
