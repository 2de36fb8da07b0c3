import assert from "node:assert/strict";
import { closedUrl } from "../../support/nodes/closed_url.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { quantity, safeNumber } from "../../../src/chains/evm/decode.ts";
import { connectRpc } from "../../../src/chains/evm/rpc.ts";
import {
  type FailureKind,
  isRateLimit,
  RpcFailure,
  RpcReplyError,
} from "../../../src/chains/pool/node_errors.ts";
import { NO_TEXT } from "../../support/nodes/no_text.ts";

interface Sent {
  readonly id: number;
  readonly method: string;
}

/** A node that answers with whatever `answer` makes of the request. */
function rpcOf(answer: (sent: Sent | Sent[]) => Response | Error, bodyBytesMax = 1_000_000) {
  const bodies: (Sent | Sent[])[] = [];
  const rpc = connectRpc({
    url: "http://node.test/v2/secret-key",
    timeoutMs: 10_000,
    bodyBytesMax,
    fetch: (_url, init) => {
      const sent = JSON.parse(String((init as RequestInit).body));
      bodies.push(sent);
      const answered = answer(sent);
      return answered instanceof Error ? Promise.reject(answered) : Promise.resolve(answered);
    },
  });
  return Object.assign(rpc, { bodies });
}

function isFailure(kind: FailureKind) {
  return (error: unknown) => {
    assert.ok(error instanceof RpcFailure && error instanceof NodeError);
    assert.equal(error.kind, kind);
    assert.ok(!error.message.includes("secret-key"), "an error tells no API key");
    return true;
  };
}

const ask = { method: "eth_blockNumber", params: [] };

Deno.test("each way of not answering has its own error and is never an empty answer", async () => {
  const rows: [FailureKind, Response][] = [
    ["rate_limited", new Response("slow down", { status: 429 })],
    ["http_status", new Response("bad gateway", { status: 502 })],
    ["http_status", new Response(null, { status: 204 })],
    [
      "http_status",
      new Response(null, { status: 307, headers: { location: "http://other.test" } }),
    ],
    ["not_json", new Response("<html>")],
    ["not_json", new Response("")],
    ["not_json", new Response('{"jsonrpc":"2.0","id":1,"resu')],
    ["bad_reply", Response.json({})],
    ["bad_reply", Response.json(null)],
    ["bad_reply", Response.json([])],
    ["bad_reply", Response.json({ jsonrpc: "2.0", id: 1 })],
    ["bad_reply", Response.json({ jsonrpc: "2.0", id: 7, result: "0x1" })],
    ["bad_reply", Response.json({ jsonrpc: "2.0", result: "0x1" })],
    ["bad_reply", Response.json({ id: 1, result: null, error: "slow down" })],
    ["bad_reply", Response.json({ error: { code: -32603, message: "internal" } })],
    ["rate_limited", new Response("", { status: 503, headers: { "retry-after": "2" } })],
    ["rate_limited", Response.json({ id: null, error: { code: -32005, message: "slow down" } })],
    ["too_large", Response.json({ id: 1, result: "x".repeat(2_000_000) })],
  ];
  for (const [kind, response] of rows) {
    await assert.rejects(rpcOf(() => response).call(ask.method, ask.params), isFailure(kind), kind);
  }
});

Deno.test("only a connection that was never established counts as nothing sent", async () => {
  const url = "http://node.test/v2/secret-key";
  const rows: [FailureKind, string][] = [
    [
      "unsent",
      `error sending request for url (${url}): client error (Connect): tcp connect error: Connection refused (os error 111)`,
    ],
    [
      "unsent",
      `error sending request for url (${url}): client error (Connect): dns error: failed to lookup address information`,
    ],
    ["unsent", `error sending request for url (${url}): client error (Connect): tls handshake eof`],
    [
      "connection",
      `error sending request for ${url}: client error (SendRequest): connection closed before message completed`,
    ],
    ["connection", "error reading a body from connection"],
  ];
  for (const [kind, text] of rows) {
    const error = new TypeError("fetch failed", { cause: new Error(text) });
    await assert.rejects(rpcOf(() => error).call(ask.method, ask.params), isFailure(kind), text);
  }
});

Deno.test("a connection refused to Deno's own fetch counts as nothing sent", async () => {
  const rpc = connectRpc({ url: `${closedUrl()}/secret-key`, fetch, timeoutMs: 5_000 });
  await assert.rejects(rpc.call(ask.method, ask.params), isFailure("unsent"));
});

Deno.test("a node that is silent for too long is a timeout", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const accepted = listener.accept().catch(() => undefined);
  const rpc = connectRpc({ url: `http://127.0.0.1:${port}`, fetch, timeoutMs: 50 });
  await assert.rejects(rpc.call(ask.method, ask.params), isFailure("timeout"));
  listener.close();
  (await accepted)?.close();
});

Deno.test("an error member keeps the node's own text and code", async () => {
  const rpc = rpcOf(() =>
    Response.json({ id: 1, error: { code: -32000, message: "no such block" } })
  );
  await assert.rejects(rpc.call(ask.method, ask.params), (error) => {
    assert.ok(error instanceof RpcReplyError && error instanceof NodeError);
    assert.deepEqual([error.code, error.text], [-32000, "no such block"]);
    assert.equal(error.message, "node.test: no such block");
    return true;
  });
});

Deno.test("an error member may contain anything", async () => {
  for (const error of [{}, { message: NO_TEXT, code: NO_TEXT }, { message: ["x".repeat(9_000)] }]) {
    const rpc = rpcOf(() => Response.json({ id: 1, error }));
    await assert.rejects(rpc.call(ask.method, ask.params), (thrown) => {
      assert.ok(thrown instanceof RpcReplyError);
      assert.equal(thrown.code, 0);
      assert.ok(thrown.text.length <= 1_000);
      return true;
    });
  }
});

Deno.test("a small body that decompresses to a large one is refused, and no redirect is followed", async () => {
  const paths: string[] = [];
  const bomb = new Blob([new Uint8Array(20_000_000)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(bomb).arrayBuffer());
  assert.ok(packed.length < 100_000);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    if (pathname === "/moved") {
      return new Response(null, { status: 307, headers: { location: "/" } });
    }
    return new Response(packed, { headers: { "content-encoding": "gzip" } });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const options = { fetch, timeoutMs: 5_000, bodyBytesMax: 1_000_000 };
  const folded = connectRpc({ url, ...options });
  await assert.rejects(folded.call(ask.method, ask.params), isFailure("too_large"));
  const moved = connectRpc({ url: `${url}/moved`, ...options });
  await assert.rejects(moved.call(ask.method, ask.params), isFailure("http_status"));
  assert.deepEqual(paths, ["/", "/moved"]);
  await server.shutdown();
});

Deno.test("an answer that is too large is refused, whether it announces its length or not", async () => {
  const reply = (size: number) => JSON.stringify({ id: 1, result: "x".repeat(size) });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const text = reply(Number(searchParams.get("size")));
    return new Response(pathname === "/told" ? text : new Blob([text]).stream());
  });
  const options = { fetch, timeoutMs: 5_000, bodyBytesMax: reply(1_000).length };
  for (const path of ["told", "streamed"]) {
    const url = `http://127.0.0.1:${server.addr.port}/${path}?size=`;
    const whole = await connectRpc({ url: `${url}1000`, ...options }).call(ask.method, ask.params);
    assert.equal(whole, "x".repeat(1_000), path);
    const larger = connectRpc({ url: `${url}1001`, ...options });
    await assert.rejects(larger.call(ask.method, ask.params), isFailure("too_large"), path);
  }
  await server.shutdown();
});

Deno.test("a batch is refused entirely if one answer is a rate limit", async () => {
  const limited = { id: 1, error: { code: -32005, message: "slow down" } };
  for (const reply of [[{ id: 0, result: "a" }, limited], { error: limited.error }]) {
    const rpc = rpcOf(() => Response.json(reply));
    await assert.rejects(rpc.batch([ask, ask]), isRateLimit);
  }
});

Deno.test("a batch is matched by id, and each item has its own error", async () => {
  const rpc = rpcOf(() =>
    Response.json([
      { id: 2, result: null },
      { id: 0, result: "a" },
      { id: 1, error: { code: -32601, message: "no such method" } },
    ])
  );
  const [first, second, third] = await rpc.batch([ask, ask, ask]);
  assert.deepEqual(first, { ok: true, result: "a" });
  assert.ok(second && !second.ok && second.error.code === -32601);
  assert.deepEqual(third, { ok: true, result: null });
  await assert.rejects(rpc.results([ask, ask, ask]), /no such method/);
});

Deno.test("an incomplete, duplicated or foreign batch is refused entirely", async () => {
  const replies = [
    [{ id: 0, result: "a" }],
    [{ id: 0, result: "a" }, { id: 0, result: "b" }],
    [{ id: 0, result: "a" }, { id: 5, result: "b" }],
    [{ id: 0, result: "a" }, null],
    [{ id: 0, result: "a" }, { id: 1, result: "b" }, { id: 2, result: "c" }],
    { error: { code: -32603, message: "internal" } },
  ];
  for (const reply of replies) {
    const rpc = rpcOf(() => Response.json(reply));
    await assert.rejects(rpc.batch([ask, ask]), isFailure("bad_reply"), JSON.stringify(reply));
  }
});

Deno.test("a node that accepts only small batches gets small ones from then on", async () => {
  const rpc = rpcOf((sent) =>
    Array.isArray(sent) && sent.length > 10
      ? Response.json({ error: { code: -32600, message: "batch too large" } })
      : Response.json([sent].flat().map(({ id }) => ({ id, result: "0x1" })))
  );
  assert.equal((await rpc.batch(new Array(40).fill(ask))).length, 40);
  rpc.bodies.length = 0;
  assert.equal((await rpc.batch(new Array(40).fill(ask))).length, 40);
  assert.deepEqual(rpc.bodies.map((body) => [body].flat().length), [10, 10, 10, 10]);
});

Deno.test("a single call refused as a batch doesn't make the next batches smaller", async () => {
  let nth = 0;
  const rpc = rpcOf((sent) =>
    nth++ === 0
      ? Response.json({ error: { code: -32000, message: "batch requests are off for a while" } })
      : Response.json([sent].flat().map(({ id }) => ({ id, result: "0x1" })))
  );
  await assert.rejects(rpc.batch([ask]), isFailure("batch_refused"));
  await rpc.batch(new Array(40).fill(ask));
  assert.deepEqual(rpc.bodies.map((body) => [body].flat().length), [1, 40]);
});

Deno.test("a batch whose answer is too large is asked again in halves, down to one call", async () => {
  const big = (sent: Sent | Sent[]) =>
    Response.json([sent].flat().map(({ id }) => ({ id, result: "x".repeat(400) })));
  assert.equal((await rpcOf(big, 1_000).batch([ask, ask, ask, ask])).length, 4);
  await assert.rejects(rpcOf(big, 100).batch([ask, ask]), isFailure("too_large"));
});

Deno.test("calls sent at most once are never repeated, nor called unsent once a part has arrived", async () => {
  const refused = new TypeError("fetch failed", {
    cause: new Error("client error (Connect): tcp connect error"),
  });
  const fine = (sent: Sent | Sent[]) =>
    Response.json([sent].flat().map(({ id }) => ({ id, result: "0x1" })));
  const tooMany = Response.json({ error: { code: -32600, message: "batch too large" } });
  const limited = Response.json([{ id: 0, result: "a" }, { id: 1, error: { code: -32005 } }]);
  const rows: [FailureKind, Response | Error][] = [
    ["unsent", refused],
    ["batch_refused", tooMany.clone()],
    ["rate_limited", limited],
    ["too_large", Response.json("x".repeat(2_000_000))],
  ];
  for (const [kind, answer] of rows) {
    const rpc = rpcOf(() => answer);
    await assert.rejects(rpc.batchOnce([ask, ask]), isFailure(kind), kind);
    assert.equal(rpc.bodies.length, 1, kind);
  }
  let nth = 0;
  const dying = rpcOf((sent) =>
    [sent].flat().length > 2 ? tooMany.clone() : nth++ ? refused : fine(sent)
  );
  await assert.rejects(dying.batchOnce(Array(3).fill(ask)), isFailure("batch_refused"));
  await assert.rejects(dying.batchOnce(Array(3).fill(ask)), isFailure("connection"));
  assert.deepEqual(dying.bodies.map((body) => [body].flat().length), [3, 2, 1]);
});

Deno.test("a number is read from hex text in full, and refused as a JSON number", () => {
  assert.equal(quantity("0x20000000000001", "a value"), 2n ** 53n + 1n);
  assert.equal(quantity(`0x${"f".repeat(64)}`, "a value"), 2n ** 256n - 1n);
  for (
    const bad of [
      9007199254740993,
      1,
      "1",
      "0x",
      "",
      "0xg",
      null,
      undefined,
      `0x1${"0".repeat(64)}`,
    ]
  ) {
    assert.throws(() => quantity(bad, "a value"), NodeError, String(bad));
  }
  assert.equal(safeNumber("0x1fffffffffffff", "a height"), Number.MAX_SAFE_INTEGER);
  assert.throws(() => safeNumber("0x20000000000000", "a height"), NodeError);
});
