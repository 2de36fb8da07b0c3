import assert from "node:assert/strict";
import {
  createSender,
  type SenderOptions,
  type WebhookSender,
} from "../../../src/webhooks/post/send.ts";
import { startRawReceiver } from "../../support/programs/receiver.ts";

type Talk = Parameters<typeof startRawReceiver>[0];

const NAME = "shop.example";
const HERE = { isPrivateAllowed: true, resolve: () => Promise.resolve(["127.0.0.1"]) };
const EVENT = {
  owner: 1,
  headers: { "webhook-id": "evt_1" },
  body: new TextEncoder().encode(`{"id":"evt_1"}`),
};

async function sendTo(url: string, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ ...HERE, ...options });
  try {
    return await sender.send({ url, ...EVENT });
  } finally {
    sender.close();
  }
}

/** To a receiver with a right certificate. */
async function sendTimes(
  times: number,
  talk: Talk,
  { afterEach, ...options }: Partial<SenderOptions> & { afterEach?: () => Promise<void> } = {},
) {
  const tls = await makeCertificate(NAME);
  await using receiver = startRawReceiver(talk, { tls });
  const sender = createSender({ ...HERE, caCerts: [tls.cert], ...options });
  const url = receiver.url.replace("127.0.0.1", NAME);
  const attempts: Awaited<ReturnType<WebhookSender["send"]>>[] = [];
  try {
    for (let i = 0; i < times; i++) {
      attempts.push(await sender.send({ url, ...EVENT }));
      await afterEach?.();
    }
    return { attempts, connections: receiver.count() };
  } finally {
    sender.close();
  }
}

async function write(conn: Deno.Conn, text: string): Promise<void> {
  await conn.write(new TextEncoder().encode(text));
}

/** Resolves once the other side has closed, with an error or without. */
async function untilClosed(conn: Deno.Conn): Promise<void> {
  while (await conn.read(new Uint8Array(4096)).catch(() => null) !== null);
}

Deno.test("over TLS the certificate must be the name's, whatever address was found", async () => {
  const { cert, key } = await makeCertificate("shop.example");
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen: () => {} },
    (request) => new Response(request.headers.get("host")),
  );
  const { port } = server.addr;
  const options = { caCerts: [cert] };
  const good = await sendTo(`https://shop.example:${port}/`, options);
  assert.deepEqual([good.status, good.response], [200, `shop.example:${port}`]);
  assert.equal((await sendTo(`https://127.0.0.1:${port}/`, options)).status, 200);
  const other = await sendTo(`https://other.example:${port}/`, options);
  assert.match(other.error!, /certificate/i);
  const unknown = await sendTo(`https://shop.example:${port}/`, { ...options, caCerts: [] });
  assert.match(unknown.error!, /certificate|UnknownIssuer/i);
  await server.shutdown();
});

for (
  const [what, names] of Object.entries({
    "a common name": "DNS:other.example",
    "a common name and an address": "IP:127.0.0.1",
    "a star within a word": "DNS:s*.example,DNS:sho*.example",
    "a name within a URI": "URI:https://shop.example/",
  })
) {
  Deno.test(`a certificate that is for the host only by ${what} is refused`, async () => {
    const tls = await makeCertificate(NAME, names);
    await using receiver = startRawReceiver(untilClosed, { tls });
    const url = receiver.url.replace("127.0.0.1", NAME);
    const { error } = await sendTo(url, { caCerts: [tls.cert] });
    assert.match(error ?? "sent", /ERR_TLS_CERT_ALTNAME|altnames|DNS name/i);
  });
}

Deno.test("a connection whose TLS handshake fails is closed", async () => {
  const closed = Promise.withResolvers<void>();
  await using receiver = startRawReceiver(async (conn) => {
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await untilClosed(conn);
    closed.resolve();
  });
  const { error } = await sendTo(receiver.url.replace("http:", "https:"));
  assert.match(error!, /handshake|TLS|InvalidContentType|corrupt/i);
  await closed.promise;
});

Deno.test("a connection whose TLS handshake is never answered is closed when its time is over", async () => {
  const closed = Promise.withResolvers<void>();
  await using receiver = startRawReceiver(async (conn) => {
    await untilClosed(conn);
    closed.resolve();
  });
  const { error } = await sendTo(receiver.url.replace("http:", "https:"), { timeoutMs: 200 });
  assert.equal(error, "no whole answer within 0.2 s");
  await closed.promise;
});

Deno.test("a receiver that hangs in its answer over TLS is given up, and its connection closed", async () => {
  const closed = Promise.withResolvers<void>();
  const { attempts } = await sendTimes(1, async (conn) => {
    await conn.read(new Uint8Array(4096));
    await write(conn, "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab");
    await untilClosed(conn);
    closed.resolve();
  }, { timeoutMs: 500 });
  assert.deepEqual([attempts[0]?.error, attempts[0]?.status], [
    "no whole answer within 0.5 s",
    200,
  ]);
  await closed.promise;
});

Deno.test("over TLS an answer in many parts is read whole, and the connection used again", async () => {
  const text = Array.from({ length: 1_000 }, (_, i) => i % 10).join("");
  const { attempts, connections } = await sendTimes(3, async (conn) => {
    while (await conn.read(new Uint8Array(4096)) !== null) {
      await write(conn, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
      for (const digit of text) await write(conn, `1\r\n${digit}\r\n`);
      await write(conn, "0\r\n\r\n");
    }
  });
  for (const { error, response } of attempts) assert.deepEqual([error, response], [null, text]);
  assert.equal(connections, 1);
});

Deno.test("a receiver that goes on after its answer over TLS is closed, and gets the next event too", async () => {
  let closed = Promise.withResolvers<void>();
  const { attempts, connections } = await sendTimes(2, async (conn) => {
    await conn.read(new Uint8Array(4096));
    await write(conn, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    const more = new Uint8Array(64 * 1024);
    while (await conn.write(more).catch(() => 0) > 0);
    closed.resolve();
  }, {
    afterEach: async () => {
      await closed.promise;
      closed = Promise.withResolvers();
    },
  });
  assert.deepEqual(attempts.map(({ error }) => error), [null, null]);
  assert.equal(connections, 2);
});

Deno.test("over TLS a kept connection that was closed meanwhile is replaced without a failed attempt", async () => {
  const { attempts, connections } = await sendTimes(3, async (conn) => {
    await conn.read(new Uint8Array(4096));
    await write(conn, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  });
  assert.deepEqual(attempts.map(({ error }) => error), [null, null, null]);
  assert.equal(connections, 3);
});

Deno.test("over TLS an answer that ends early has not taken the event, and 16 KiB of an endless one are read", async () => {
  let written = 0;
  const { attempts } = await sendTimes(2, async (conn, count) => {
    await conn.read(new Uint8Array(4096));
    await write(conn, "HTTP/1.1 200 OK\r\n");
    if (count === 1) return await write(conn, "content-length: 100\r\n\r\nhalf");
    await write(conn, "\r\n");
    for (;;) written += await conn.write(new Uint8Array(64 * 1024).fill(120));
  });
  assert.match(attempts[0]?.error ?? "taken", /closed before/);
  assert.deepEqual([attempts[1]?.error, attempts[1]?.response], [null, "x".repeat(1024)]);
  assert.ok(written < 16 * 1024 * 1024, `${written} bytes`);
});

async function makeCertificate(
  name: string,
  names = `DNS:${name},IP:127.0.0.1`,
): Promise<{ cert: string; key: string }> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-tls-" });
  try {
    const { code, stderr } = await new Deno.Command("openssl", {
      args: [
        ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
        ...["-keyout", `${folder}/key.pem`, "-out", `${folder}/cert.pem`, "-days", "30"],
        ...["-subj", `/CN=${name}`, "-addext", `subjectAltName=${names}`],
        ...["-addext", "basicConstraints=critical,CA:FALSE"],
      ],
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return {
      cert: await Deno.readTextFile(`${folder}/cert.pem`),
      key: await Deno.readTextFile(`${folder}/key.pem`),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
