import assert from "node:assert/strict";
import { openSeed } from "../../../src/upkeep/open_key_ring.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { type Gateway, openGateway } from "../../../src/app/gateway.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { type ChildGateway, startChildGateway } from "../../support/programs/child_gateway.ts";
import { deploy, sendTx } from "../../support/nodes/contracts.ts";
import { enable, makeMerchant, makeNetwork, makeToken } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { NEVER, startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import { runProgram } from "../../support/programs/program.ts";
import { allocate, balanceOf, requestOf, withdraw } from "../../support/views.ts";
import { makePlace, TEST_MASTER_KEY } from "../../support/database/database.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const STOPS_WITHIN_MS = 5_000;
const TAKES_EFFECT_WITHIN_MS = 1_000;

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`${signal} stops the program within 5 s with exit code 0, and no open withdrawal is lost`, async () => {
    await using anvil = await startAnvil({ args: ["--block-time", "1"] });
    await using double = await startNodeDouble(anvil.url, async (call, ask) => {
      if (call.method === "eth_estimateGas") {
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return await ask();
    });
    await using office = await openOffice(anvil, double.url);
    const child = await startChildGateway(office.env);
    const api = apiClient(child.url, office.credentials);
    await eventually(() => api.get("/v1/currencies"), { until: (r) => r.body.data.length > 0 });
    const requests = Array.from(
      { length: 20 },
      (_, i) =>
        withdraw(api, { to: STRANGER, amount: "1", reference: `w${i}` }).catch(() => undefined),
    );
    await Promise.race(requests);
    using stopwatch = startStopwatch();
    assert.equal(await stop(child, signal), 0);
    assert.ok(stopwatch.ms() < STOPS_WITHIN_MS);
    const replies = await Promise.all(requests);
    const heard = replies.filter((reply) => reply !== undefined);
    const answered = heard.filter(({ status }) => status === 200);
    const givenBack = heard.filter(({ status }) => status === 502);
    assert.ok(answered.length > 0 && answered.length + givenBack.length === heard.length);
    assert.equal(child.stderr(), "");

    const second = await startChildGateway(office.env);
    const after = apiClient(second.url, office.credentials);
    const open = () =>
      office.deps.db.rows(Withdrawals, "WHERE status NOT IN ('confirmed', 'failed')");
    await eventually(open, { until: (rows) => rows.length === 0 });
    // A slow machine may not sign all of them in time.
    const failed = await office.deps.db.rows(Withdrawals, "WHERE status = 'failed'");
    for (const { body } of givenBack) {
      assert.ok(failed.some(({ id }) => id === body.data.withdrawal_id));
    }
    const rows = await office.deps.db.rows(Withdrawals, "WHERE status = 'confirmed' ORDER BY id");
    assert.ok(rows.length >= answered.length);
    for (const { body } of answered) {
      assert.ok(
        rows.some(({ id, txHash }) =>
          id === body.data.withdrawal_id && txHash === body.data.tx_hash
        ),
      );
    }
    assert.equal(await receivedBy(anvil, STRANGER), BigInt(rows.length) * ETHER);
    assert.equal(await nonceOf(anvil, office.hotWallet), rows.length);
    assert.equal((await balanceOf(after)).held, "0");
    assert.equal(await second.terminate(), 0);
  });
}

Deno.test("SIGTERM isn't delayed by a node that doesn't answer", async () => {
  await using anvil = await startAnvil();
  await using double = await startNodeDouble(anvil.url, () => Promise.resolve(NEVER));
  await using office = await openOffice(anvil, double.url);
  const child = await startChildGateway(office.env);
  const api = apiClient(child.url, office.credentials);
  await eventually(() => api.get("/v1/currencies"), { until: (r) => r.body.data.length > 0 });
  const stuck = withdraw(api, { to: STRANGER, amount: "1" }).catch(() => undefined);
  await eventually(() => office.deps.db.rows(Withdrawals, "ORDER BY id"), {
    until: (rows) => rows.length === 1,
  });
  using stopwatch = startStopwatch();
  assert.equal(await child.terminate(), 0);
  assert.ok(stopwatch.ms() < STOPS_WITHIN_MS);
  await stuck;
  assert.equal(child.stderr(), "");
});

Deno.test("the probes show that the program lives, that its database answers and how far networks are", async () => {
  await using anvil = await startAnvil();
  await using office = await openOffice(anvil);
  const child = await startChildGateway(office.env);
  await anvil.mine(5);
  const api = apiClient(child.url, office.credentials);
  await allocate(api);
  assert.equal((await api.get("/v1/nothing")).status, 404);
  const health = await fetch(`${child.url}/healthz`);
  assert.deepEqual([health.status, await health.json()], [200, { status: "alive" }]);
  const ready = () => fetch(`${child.url}/readyz`).then((reply) => reply.json());
  const report = await eventually(ready, {
    until: ({ networks }) => networks[0]?.scanned_to === 5,
  });
  assert.equal(report.ready, true);
  assert.equal(report.database, "ok");
  const [{ seconds_since_answer, ...network }] = report.networks;
  assert.ok(seconds_since_answer <= 10);
  assert.deepEqual(network, {
    network: "ETH",
    scanned_to: 5,
    lag_blocks: 0,
    gaps: [],
    status: "ok",
  });
  const metrics = await fetch(`${child.url}/metrics`);
  assert.match(metrics.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  const lines = (await metrics.text()).split("\n");
  for (
    const line of [
      `cpg_network_scan_height{network="ETH"} 5`,
      `cpg_network_lag_blocks{network="ETH"} 0`,
      `cpg_network_halted{network="ETH"} 0`,
      "cpg_withdrawals_open 0",
      "cpg_deposits_unconfirmed 0",
      "cpg_alerts_open 0",
      `cpg_http_requests_total{method="POST",route="/v1/deposit-addresses",status="200"} 1`,
      "# TYPE cpg_http_request_seconds histogram",
    ]
  ) assert.ok(lines.includes(line), `${line} is not among\n${lines.join("\n")}`);
  const known = lines.filter((line) => line.startsWith("# TYPE")).map((line) => line.split(" ")[2]);
  for (const line of lines.filter((text) => text !== "" && !text.startsWith("#"))) {
    assert.match(line, /^[a-z_]+(\{[^}]*\})? -?[0-9.e+-]+$/);
    const name = /^[a-z_]+/.exec(line)![0].replace(/_(bucket|sum|count)$/, "");
    assert.ok(known.includes(name), line);
  }
  assert.equal(await child.terminate(), 0);
});

Deno.test("another process's changes apply within a second: revoked keys, new currencies, new keys", async () => {
  await using anvil = await startAnvil();
  await using office = await openOffice(anvil);
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const child = await startChildGateway(office.env);
  const api = apiClient(child.url, office.credentials);
  const currencies = async () => (await api.get("/v1/currencies")).body.data.length;
  const withinMs = TAKES_EFFECT_WITHIN_MS;
  assert.equal(await currencies(), 1);
  const { accountId, deps } = office;
  await makeToken(deps, { network: "ETH", contract: token.address });
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  await eventually(currencies, { until: (count) => count === 2, withinMs });
  await allocate(api, { currency: "USDT" });

  const made = await runProgram(
    [
      "key",
      "create",
      "--account",
      `${accountId}`,
      "--label",
      "b",
      "--permissions",
      "all",
      "--json",
    ],
    office.env,
  );
  assert.equal(made.code, 0, made.stdout + made.stderr);
  const { key_id, secret } = JSON.parse(made.stdout);
  const second = apiClient(child.url, { keyId: key_id, secret });
  await eventually(() => second.get("/v1/_ping"), { until: (r) => r.status === 200, withinMs });
  await revokeApiKey(deps, { keyId: office.credentials.keyId, actor: "test" });
  const stopped = await eventually(() => api.get("/v1/_ping"), {
    until: ({ status }) => status === 401,
    withinMs,
  });
  assert.equal(stopped.body.message, "Invalid signature");
  assert.equal((await second.get("/v1/_ping")).status, 200);
  const revoked = await runProgram(["key", "revoke", key_id, "--json"], office.env);
  assert.equal(revoked.code, 0, revoked.stdout + revoked.stderr);
  await eventually(() => second.get("/v1/_ping"), { until: (r) => r.status === 401, withinMs });
  assert.equal(await child.terminate(), 0);
});

Deno.test("every log line is one JSON object, requests have their id, and no line has a secret", async () => {
  await using anvil = await startAnvil();
  await using double = await startNodeDouble(anvil.url, (_call, ask) => ask());
  const asTyped = double.url.replace("http://127.0.0.1", "HTTP://LocalHost");
  await using office = await openOffice(anvil, `${asTyped}/v3/PAIDKEY`);
  const seed = await openSeed(office.deps);
  const child = await startChildGateway({ ...office.env, CPG_LOG_LEVEL: "debug" });
  const api = apiClient(child.url, office.credentials);
  const { address, requestId } = await allocate(api);
  await sendTx(anvil, { to: address, valueRaw: ETHER });
  await eventually(() => requestOf(api, requestId), {
    until: ({ transactions }) => transactions.length === 1,
  });
  assert.equal((await withdraw(api, { to: STRANGER, amount: "1" })).status, 200);
  const refused = await apiClient(child.url, { ...office.credentials, secret: "wrong" })
    .get("/v1/balances");
  assert.equal(refused.status, 401);
  double.answer = () => Promise.reject(new Error("The connection is cut"));
  const failed = await withdraw(api, { to: STRANGER, amount: "1" });
  assert.equal(failed.status, 502);
  assert.equal(failed.body.data.error_message, "The node did not answer");
  await eventually(() => Promise.resolve(child.stderr()), {
    until: (text) => text.includes("network is not followed"),
  });
  assert.equal(await child.terminate(), 0);
  const lines = child.stderr().trimEnd().split("\n").map((line) => JSON.parse(line));
  for (const { time, level, message } of lines) {
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.ok(["debug", "info", "warn", "error"].includes(level));
    assert.equal(typeof message, "string");
  }
  const requests = lines.filter(({ message }) => message === "request");
  const ids = requests.map(({ request_id }) => request_id);
  assert.equal(new Set(ids).size, ids.length);
  for (const reply of [refused, failed]) assert.ok(ids.includes(reply.body.error.request_id));
  const words = seed.split(" ");
  const secrets = [
    office.credentials.secret,
    TEST_MASTER_KEY,
    seed,
    words.slice(0, 3).join(" "),
    "PAIDKEY",
  ];
  for (const secret of secrets) assert.ok(!child.stderr().includes(secret));
});

interface Office extends AsyncDisposable, Gateway {
  readonly env: Record<string, string>;
  readonly accountId: number;
  readonly hotWallet: string;
  readonly credentials: { keyId: string; secret: string };
}

/** The operator's process beside the server, on the same database. */
async function openOffice(anvil: Anvil, rpcUrl = anvil.url): Promise<Office> {
  const { env, remove } = await makePlace({ isMigrated: true });
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [rpcUrl], minConfirmations: 2 });
  const merchant = await makeMerchant({ deps, url: "http://127.0.0.1" });
  const { accountId, credentials } = merchant;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const hotWallet = await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: "test" });
  await setBalance(anvil, hotWallet, 200n * ETHER);
  return {
    ...gateway,
    env,
    accountId,
    hotWallet,
    credentials,
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await remove();
    },
  };
}

async function stop(child: ChildGateway, signal: "SIGTERM" | "SIGINT"): Promise<number> {
  Deno.kill(child.pid, signal);
  return (await child.ended).code;
}
