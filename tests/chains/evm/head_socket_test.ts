import assert from "node:assert/strict";
import { EvmHeadSocket } from "../../../src/chains/evm/head_socket.ts";
import type { PushedHead } from "../../../src/chains/head_socket.ts";
import { lookUntil } from "../../../src/base/clock.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  hashOf,
  headOf,
  type HeadServer,
  type Mood,
  notification,
  startHeadServer,
} from "../../support/nodes/head_server.ts";

const BLOCK_MS = 2_000;

/** A socket by a clock of the test's own. */
function listen(url: string, chainId = "31337") {
  const clock = { ms: 1_000_000 };
  const heads: PushedHead[] = [];
  const socket = new EvmHeadSocket({
    url,
    chainId,
    clock: { nowMs: () => clock.ms },
    onHead: (head) => void heads.push(head),
  });
  return {
    clock,
    heads,
    socket,
    look: (aheadMs = 0, blockMs: number | null = BLOCK_MS) => {
      clock.ms += aheadMs;
      socket.look({ blockMs });
    },
    until: async (isSo: () => boolean, what: string) => {
      assert.ok(
        await lookUntil(() => Promise.resolve(isSo()), { isSo: Boolean, waitMs: 10_000 }),
        what,
      );
    },
    [Symbol.asyncDispose]: () => socket.close(),
  };
}

/** Until what is wrong with it has been noticed. */
async function faultOf(server: Pick<HeadServer, "url">): Promise<string> {
  await using one = listen(server.url);
  one.look();
  await one.until(() => one.socket.health().pushError !== null, "It fails");
  assert.equal(one.socket.isLive(), false);
  return one.socket.health().pushError ?? "";
}

Deno.test("a real node pushes its new heads", async () => {
  await using anvil = await startAnvil();
  await using one = listen(anvil.url.replace("http:", "ws:"));
  const mined: Promise<unknown>[] = [];
  one.look();
  await one.until(() => {
    mined.push(anvil.mine(1));
    return one.heads.length > 0;
  }, "A head comes");
  await Promise.all(mined);
  const { number, hash, parentHash, logsBloom: bloom } = await anvil.rpc("eth_getBlockByNumber", [
    `0x${one.heads[0]!.height.toString(16)}`,
    false,
  ]);
  assert.deepEqual(one.heads[0], { height: Number(number), hash, parentHash, bloom });
  assert.deepEqual(one.socket.health(), { isPushing: true, pushError: null });
});

const PUSHES: Mood = (socket) => socket.send(notification(headOf(1)));

Deno.test("a socket lives from its first head until it is silent for two expected blocks", async () => {
  await using server = startHeadServer();
  await using one = listen(server.url);
  one.look();
  await one.until(() => server.open.size === 1, "It is open");
  assert.equal(one.socket.isLive(), false, "Nothing was pushed yet");
  await one.until(() => {
    server.push(headOf(7));
    return one.socket.isLive();
  }, "It lives");
  assert.deepEqual(one.heads[0], { height: 7, hash: hashOf(7) });
  one.look(2 * BLOCK_MS);
  assert.equal(one.socket.isLive(), true);
  one.look(1);
  assert.equal(one.socket.isLive(), false, "At once, not when the connection has ended");
  await one.until(() => server.open.size === 0, "It is closed");
  assert.match(one.socket.health().pushError ?? "", /pushed no head for 4000 ms/);
});

Deno.test("pauses between connections grow up to five minutes, and a good minute forgives", async () => {
  await using server = startHeadServer({ mood: (socket) => socket.close() });
  await using one = listen(server.url);
  let pauseMs = 0;
  for (
    const expectedMs of [
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      32_000,
      64_000,
      128_000,
      256_000,
      300_000,
    ]
  ) {
    const { opened } = server;
    one.look(pauseMs + 1);
    await one.until(() => server.opened === opened + 1 && server.open.size === 0, "It was tried");
    await one.until(() => !isConnected(one), "Its end was noticed");
    one.look(expectedMs);
    assert.equal(server.opened, opened + 1, `Not before ${expectedMs} ms`);
    pauseMs = 0;
  }
  server.mood = PUSHES;
  one.look(1);
  await one.until(() => one.socket.isLive(), "It lives");
  one.look(30_001, null);
  one.look(30_001, null);
  await one.until(() => {
    server.push(headOf(2));
    return one.heads.length > 1;
  }, "It pushes on");
  server.mood = (socket) => socket.close();
  for (const socket of server.open) socket.close();
  await one.until(() => !one.socket.isLive(), "It has ended");
  const { opened } = server;
  one.look(1_001);
  await one.until(() => server.opened === opened + 1, "It is tried again after a second");
});

function isConnected({ socket }: { socket: EvmHeadSocket }): boolean {
  return socket.health().pushError === null;
}

const FAULTS: readonly (readonly [string, Mood, RegExp])[] = [
  ["closes", (socket) => socket.close(), /closed the connection/],
  ["sends no JSON", (socket) => socket.send("heads"), /no JSON/],
  ["sends a list", (socket) => socket.send("[]"), /message/],
  ["sends bytes", (socket) => socket.send(new Uint8Array(10)), /other messages than text/],
  [
    "pushes for another subscription",
    (socket) => socket.send(notification(headOf(1), "0x52")),
    /subscription/,
  ],
  [
    "pushes a head without a number",
    (socket) => socket.send(notification({ hash: hashOf(1) })),
    /number/,
  ],
  [
    "pushes a number that is none",
    (socket) => socket.send(notification({ ...headOf(1), number: "0xffffffffffffffff" })),
    /number/,
  ],
  [
    "answers twice",
    (socket) => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 2, result: "0x1" })),
    /nobody asked/,
  ],
  [
    "refuses",
    (socket) =>
      socket.send(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 9,
          error: { code: -32000, message: "no a-secret-key" },
        }),
      ),
    /refused a question: no \*\*\*/,
  ],
  [
    "sends a huge message",
    (socket) => socket.send(notification("x".repeat(50_000_000))),
    /more than 65536 bytes/,
  ],
  ["floods", (socket) => {
    for (let n = 0; n < 10_000 && socket.readyState === WebSocket.OPEN; n++) {
      socket.send(notification(headOf(n)));
    }
  }, /more than 50 messages a second/],
];

for (const [what, mood, expected] of FAULTS) {
  Deno.test(`a socket that ${what} is dropped, and its URL's key stays unsaid`, async () => {
    await using server = startHeadServer({ mood });
    const fault = await faultOf(server);
    assert.match(fault, expected);
    assert.doesNotMatch(fault, /a-secret-key/);
  });
}

Deno.test("a socket on another chain is dropped", async () => {
  await using server = startHeadServer({ chainId: "0x1" });
  assert.match(await faultOf(server), /is on chain 1, not 31337/);
});

Deno.test("what opens no socket, or doesn't answer, is left again", async () => {
  const refusing = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("no", { status: 403 }),
  );
  assert.match(
    await faultOf({ url: `ws://127.0.0.1:${refusing.addr.port}/` }),
    /opens no socket: HTTP\/1.1 403/,
  );
  await refusing.shutdown();
  assert.match(
    await faultOf({ url: `ws://127.0.0.1:${refusing.addr.port}/` }),
    /refused|os error/i,
  );
  for (const scheme of ["ws", "wss"]) {
    using deaf = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const accepted = deaf.accept();
    await using one = listen(`${scheme}://127.0.0.1:${deaf.addr.port}/`);
    one.look();
    const connection = await accepted;
    one.look(10_001);
    await one.until(() => one.socket.health().pushError !== null, "It is given up");
    assert.match(one.socket.health().pushError ?? "", /did not answer for 10000 ms/);
    await closed(connection);
  }
});

async function closed(connection: Deno.Conn): Promise<void> {
  const bytes = new Uint8Array(4_096);
  for (let count: number | null = 0; count !== null;) {
    count = await connection.read(bytes).catch(() => null);
  }
  connection.close();
}

Deno.test("a socket that nobody looks after any more ends by itself", async () => {
  await using server = startHeadServer();
  await using one = listen(server.url);
  one.look();
  await one.until(() => {
    server.push(headOf(1));
    return one.socket.isLive();
  }, "It lives");
  one.clock.ms += 60_001;
  server.push(headOf(2));
  await one.until(() => server.open.size === 0, "It is closed");
});

Deno.test("a socket that is closed opens no more", async () => {
  await using server = startHeadServer({ mood: PUSHES });
  await using one = listen(server.url);
  one.look();
  await one.until(() => one.socket.isLive(), "It lives");
  await one.socket.close();
  one.look(1_000_000);
  assert.equal(one.socket.isLive(), false);
  assert.equal(server.opened, 1);
});
