import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

const MIB = 1024 * 1024;

/** A huge answer, and the most memory that reading it may take. */
interface Bomb {
  readonly name: string;
  readonly body: () => Uint8Array<ArrayBuffer>;
  readonly encoding?: string;
  readonly asked: readonly (readonly ["evm" | "tron", string])[];
  readonly grownMibMax: number;
}

const SMALL_ASKED = [["evm", "eth_chainId"], ["tron", "wallet/getchainparameters"]] as const;
const WHOLE_ASKED = [
  ["evm", "eth_getBlockByNumber"],
  ["evm", "debug_traceBlockByHash"],
  ["tron", "wallet/getblockbylimitnext"],
] as const;

function text(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(value);
}

const BOMBS: readonly Bomb[] = [
  {
    name: "10 MB of brackets",
    body: () => text("[".repeat(10_000_000)),
    asked: [...SMALL_ASKED, ...WHOLE_ASKED],
    grownMibMax: 80,
  },
  {
    name: "10 MB of objects in each other behind strings",
    body: () => text(`{"a\\"[":`.repeat(1_000_000)),
    asked: WHOLE_ASKED,
    grownMibMax: 80,
  },
  {
    name: "a gigabyte of spaces, packed",
    body: () => new Uint8Array(gzipSync(new Uint8Array(1024 * MIB).fill(32), { level: 1 })),
    encoding: "gzip",
    asked: SMALL_ASKED,
    grownMibMax: 60,
  },
  {
    name: "60 MB of empty lists, packed",
    body: () => new Uint8Array(gzipSync(`[${"[],".repeat(20_000_000)}12345678901234567890]`)),
    encoding: "gzip",
    asked: WHOLE_ASKED,
    grownMibMax: 512,
  },
];

async function read(family: string, method: string, url: string) {
  const child = new URL("./answer_memory_child.ts", import.meta.url).pathname;
  const args = ["run", "-q", "-A", "--config", "deno.json", child, family, method, url];
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}

for (const { name, body, encoding, asked, grownMibMax } of BOMBS) {
  Deno.test(`${name} instead of a node's answer is refused, and takes ${grownMibMax} MiB at most`, async () => {
    const bytes = body();
    const headers = new Headers({ "content-type": "application/json" });
    if (encoding !== undefined) headers.set("content-encoding", encoding);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () => new Response(bytes, { headers }),
    );
    for (const [family, method] of asked) {
      const reported = await read(family, method, `http://127.0.0.1:${server.addr.port}`);
      assert.notEqual(reported.error, "answered");
      assert.ok(reported.grownMib <= grownMibMax, `${method}: ${JSON.stringify(reported)}`);
    }
  });
}
