import assert from "node:assert/strict";
import { createSender, type SenderOptions } from "../../../src/webhooks/post/send.ts";
import { startRawReceiver, startReceiver } from "../../support/programs/receiver.ts";

const WITHIN_MS = 10_000;
const SOON_MS = WITHIN_MS / 2;
const TEXT = `{"id":"evt_1"}`;
const BODY = { owner: 1, headers: { "webhook-id": "evt_1" }, body: new TextEncoder().encode(TEXT) };

async function sendTo(url: string, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ isPrivateAllowed: true, timeoutMs: WITHIN_MS, ...options });
  try {
    return await sender.send({ url, ...BODY });
  } finally {
    sender.close();
  }
}

/** Answers with these bytes and closes. */
function bytes(...parts: string[]) {
  return async (conn: Deno.Conn) => {
    await conn.read(new Uint8Array(4096));
    for (const part of parts) await conn.write(new TextEncoder().encode(part));
  };
}

Deno.test("a 2xx answer is a success, its beginning is kept, and the connection is used again", async () => {
  await using receiver = startReceiver();
  receiver.answer = () => new Response("x".repeat(5000), { status: 202 });
  const sender = createSender({ isPrivateAllowed: true });
  for (let i = 0; i < 3; i++) {
    const { status, error, response } = await sender.send({ url: receiver.url, ...BODY });
    assert.deepEqual([status, error, response], [202, null, "x".repeat(1024)]);
  }
  sender.close();
  assert.equal(receiver.received.length, 3);
  assert.equal(receiver.received[0]!.body, TEXT);
});

Deno.test("a kept connection that the receiver closed meanwhile is replaced without a failed attempt", async () => {
  await using receiver = startRawReceiver(
    bytes("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
  );
  const sender = createSender({ isPrivateAllowed: true });
  for (let i = 0; i < 3; i++) {
    assert.equal((await sender.send({ url: receiver.url, ...BODY })).error, null);
  }
  sender.close();
  assert.equal(receiver.count(), 3);
});

Deno.test("redirects are not followed", async () => {
  await using target = startReceiver();
  await using receiver = startReceiver();
  receiver.answer = () => new Response(null, { status: 302, headers: { location: target.url } });
  const { status, error } = await sendTo(receiver.url);
  assert.deepEqual([status, error, target.received.length], [302, "HTTP 302", 0]);
});

Deno.test("of an endless answer 16 KiB are read and no more", async () => {
  let written = 0;
  await using receiver = startRawReceiver(async (conn) => {
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    for (;;) written += await conn.write(new Uint8Array(64 * 1024).fill(120));
  });
  const { status, error, latencyMs } = await sendTo(receiver.url);
  assert.deepEqual([status, error], [200, null]);
  assert.ok(latencyMs < SOON_MS, `${latencyMs} ms`);
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes went into the socket's buffers`);
});

const OK = "HTTP/1.1 200 OK\r\n";
const BROKEN: readonly (readonly [what: string, parts: string[], error: RegExp])[] = [
  ["closes without a word", [], /closed before/],
  ["closes in the middle of its head", ["HTTP/1.1 200 OK\r\ncont"], /closed before/],
  ["closes in the middle of its body", [`${OK}content-length: 100\r\n\r\nhalf`], /closed before/],
  ["closes between chunks", [`${OK}transfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n`], /closed/],
  ["sends broken chunks", [`${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`], /chunks/],
  ["does not speak HTTP", ["220 mail.example.com ESMTP\r\n\r\n"], /not HTTP/],
  ["has an endless head", [`${OK}x: ${"y".repeat(80_000)}`], /too long/],
  ["has a negative length", [`${OK}content-length: -1\r\n\r\n`], /length/],
];

for (const [what, parts, expected] of BROKEN) {
  Deno.test(`a receiver that ${what} has not taken the event`, async () => {
    await using receiver = startRawReceiver(bytes(...parts));
    const { error } = await sendTo(receiver.url);
    assert.match(error ?? "taken", expected);
  });
}

Deno.test("chunked, interim and length-less answers are understood", async () => {
  for (
    const [head, response] of [
      [`HTTP/1.1 100 Continue\r\n\r\n${OK}content-length: 2\r\n\r\nok`, "ok"],
      [
        `${OK}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nok\r\n3\r\n...\r\n0\r\nt: 1\r\n\r\n`,
        "ok...",
      ],
      [`HTTP/1.0 200 OK\r\n\r\nto the end`, "to the end"],
      [`HTTP/1.1 204 No Content\r\n\r\n`, ""],
    ] as const
  ) {
    await using receiver = startRawReceiver(bytes(head));
    const attempt = await sendTo(receiver.url);
    assert.deepEqual([attempt.error, attempt.response], [null, response], head);
  }
});

for (
  const [where, line] of [
    ["trailers", "x: y\r\n".repeat(2_000)],
    ["chunks", `1;${"x".repeat(1_000)}\r\nx\r\n`.repeat(20)],
  ] as const
) {
  Deno.test(`an answer of endless ${where} is left long before its time is over`, async () => {
    let written = 0;
    await using receiver = startRawReceiver(async (conn) => {
      await conn.read(new Uint8Array(4096));
      const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
      await conn.write(new TextEncoder().encode(where === "trailers" ? `${head}0\r\n` : head));
      const bytes = new TextEncoder().encode(line);
      while (written < 200_000_000) written += await conn.write(bytes);
    });
    const { error } = await sendTo(receiver.url, { timeoutMs: 30_000 });
    assert.match(error!, /the answer does not end/);
    assert.ok(written < 20_000_000, `${written} bytes`);
  });
}

Deno.test("a receiver that hangs before or during its answer is given up at the limit", async () => {
  for (const begin of ["", `${OK}content-length: 5\r\n\r\nab`]) {
    await using receiver = startRawReceiver(async (conn) => {
      await conn.read(new Uint8Array(4096));
      if (begin) await conn.write(new TextEncoder().encode(begin));
      await conn.read(new Uint8Array(1));
    });
    const { error, status, latencyMs } = await sendTo(receiver.url, { timeoutMs: 1_000 });
    assert.deepEqual([error, status], ["no whole answer within 1 s", begin ? 200 : null]);
    assert.ok(latencyMs >= 1_000 && latencyMs < SOON_MS, `${latencyMs} ms`);
  }
});

Deno.test("a name that resolves to a private address is refused, and nothing connects", async () => {
  await using receiver = startRawReceiver(bytes(OK));
  const { port } = new URL(receiver.url);
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fe80::1%lo"]) {
    const resolve = () => Promise.resolve([address]);
    const { error } = await sendTo(`https://shop.example:${port}/`, {
      isPrivateAllowed: false,
      resolve,
    });
    assert.equal(
      error,
      "shop.example has no address of the public internet (CPG_WEBHOOK_ALLOW_PRIVATE=true allows it)",
      "without the address, which is none of a merchant's business",
    );
  }
  assert.equal(receiver.count(), 0);
});

Deno.test("the checked address is the one connected to: a name is looked up once per connection", async () => {
  await using receiver = startRawReceiver(bytes(OK));
  const { port } = new URL(receiver.url);
  let lookups = 0;
  // The second answer would fail every check and must never be requested.
  const resolve = () => Promise.resolve([lookups++ === 0 ? "192.0.2.1" : "127.0.0.1"]);
  const sender = createSender({ isPrivateAllowed: true, resolve, timeoutMs: 300 });
  const { error } = await sender.send({ url: `http://shop.example:${port}/`, ...BODY });
  sender.close();
  assert.notEqual(error, null);
  assert.deepEqual([lookups, receiver.count()], [1, 0]);
});
