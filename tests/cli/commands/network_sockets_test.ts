import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { headOf, notification, startHeadServer } from "../../support/nodes/head_server.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeCli } from "../cli_host.ts";

const ONE = "https://one.example";
const TWO = "https://two.example";
const OFFLINE = [
  ...["network", "add", "--code", "ETH", "--family", "evm", "--min-confirmations", "12"],
  ...["--chain-id", "31337", "--start-block", "1"],
];
/** Nothing listens there. */
const DEAD = "http://127.0.0.1:1";
const DEAD_TOO = "http://127.0.0.1:1/too";

Deno.test("sockets are given beside their nodes, stay with them, and are taken away", async () => {
  await using cli = await makeCli();
  const added = await cli.json(
    ...OFFLINE,
    ...[
      "--rpc-url",
      DEAD,
      "--ws-url",
      "",
      "--rpc-url",
      DEAD_TOO,
      "--ws-url",
      "wss://two.example/v2",
    ],
  );
  assert.deepEqual(added.ws_urls, ["", "wss://two.example/v2"]);
  const set = async (...args: string[]) =>
    (await cli.json("network", "set", "ETH", "--force", ...args)).ws_urls;
  assert.deepEqual(await set("--name", "Ether"), ["", "wss://two.example/v2"]);
  assert.deepEqual(await set("--rpc-url", DEAD_TOO, "--rpc-url", ONE), [
    "wss://two.example/v2",
    "",
  ]);
  assert.deepEqual(await set("--ws-url", "ws://one.example"), ["ws://one.example", ""]);
  assert.deepEqual(await set("--rpc-url", ONE), []);
  const [listed] = await cli.json("network", "list");
  assert.deepEqual(listed.ws_urls, []);
  assert.deepEqual(await set("--ws-url", "wss://one.example"), ["wss://one.example"]);
  assert.deepEqual(await set("--ws-url", ""), []);
});

Deno.test("more sockets than nodes, other schemes and TRON are refused", async () => {
  await using cli = await makeCli();
  const sockets = (...urls: string[]) => urls.flatMap((url) => ["--ws-url", url]);
  const many = [...OFFLINE, "--rpc-url", DEAD, ...sockets("wss://one.example", "")];
  assert.match(await cli.fails(1, ...many), /2 sockets belong to nodes, and there is 1/);
  const wrong = [...OFFLINE, "--rpc-url", DEAD, ...sockets(ONE)];
  assert.match(await cli.fails(2, ...wrong), /ws:\/\/ or wss:\/\//);
  const tron = ["--preset", "TRX", "--rpc-url", DEAD, "--start-block", "1"];
  assert.match(
    await cli.fails(1, "network", "add", ...tron, ...sockets("wss://one.example")),
    /TRON push no heads/,
  );
  await cli.json(...OFFLINE, "--rpc-url", DEAD);
  const set = ["network", "set", "ETH"];
  assert.match(
    await cli.fails(1, ...set, ...sockets("wss://one.example", "wss://two.example")),
    /2 sockets belong to nodes, and there is 1/,
  );
  assert.match(
    await cli.fails(1, ...set, "--rpc-url", TWO, ...sockets("wss://one.example", "")),
    /2 sockets/,
  );
});

Deno.test("network list, doctor and /metrics say which sockets push, and nothing secret", async () => {
  await using anvil = await startAnvil();
  await anvil.mine(1);
  await using bad = startHeadServer({
    mood: (socket) => socket.send(JSON.stringify({ id: 9, error: { message: "a-secret-key!" } })),
  });
  await using good = startHeadServer({ mood: (socket) => socket.send(notification(headOf(1))) });
  await using cli = await makeCli();
  const nodes = [anvil.url, anvil.url.replace("127.0.0.1", "localhost"), `${anvil.url}/other`];
  const sockets = [good.url, bad.url, ""];
  await cli.json(
    ...["network", "add", "--code", "ETH", "--family", "evm", "--min-confirmations", "12"],
    ...nodes.flatMap((url) => ["--rpc-url", url]),
    ...sockets.flatMap((url) => ["--ws-url", url]),
    ...["--poll-interval-ms", "50"],
  );
  const serving = await serve(readConfig({ ...cli.env, CPG_PORT: "0" }));
  const endpoints = await eventually(
    async () => (await cli.json("network", "list"))[0].endpoints,
    { until: (rows) => rows[0]?.pushes === true && rows[1]?.push_error },
  );
  const shown = endpoints.map((it: Record<string, unknown>) => [it.pushes, it.push_error]);
  assert.deepEqual(shown, [
    [true, null],
    [false, "it refused a question: ***!"],
    [null, null],
  ]);
  const { err } = await cli.run(["network", "list"]);
  assert.match(err, /, pushes heads, answered/);
  assert.match(err, /, its socket fails: it refused a question: \*\*\*!, answered/);
  const metrics = await (await fetch(`${serving.url}/metrics`)).text();
  assert.match(metrics, /^cpg_network_sockets_down\{network="ETH"\} 1$/m);
  const [doctor] = [await cli.run(["doctor"])];
  assert.match(doctor.out, /socket of ETH.*pushes new heads/s);
  assert.ok(!(err + doctor.out + doctor.err).includes("a-secret-key"));
  await serving.stop();
  await eventually(() => Promise.resolve(good.open.size + bad.open.size), {
    until: (open) => open === 0,
  });
});
