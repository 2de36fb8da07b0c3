import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startChildGateway } from "../../support/programs/child_gateway.ts";
import { makeServerPlace } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { showFigure } from "../../support/show_figure.ts";
import { allocate, depositsOf, withdraw } from "../../support/views.ts";
import { startStopwatch } from "../../support/programs/stopwatch.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const STOPS_WITHIN_MS = 5_000;

/** It may write no file, load no native code, start no program and read nothing but the source. */
const PERMISSIONS = [
  "--no-prompt",
  "--allow-net",
  "--allow-env=CPG_*,DENO_DEPLOY,DENO_TIMELINE",
  `--allow-read=${ROOT}migrations`,
  "--deny-write",
  "--deny-ffi",
  "--deny-run",
  "--deny-sys",
];

Deno.test("on a platform without files and native code the program works with a remote database", async (test) => {
  await using place = await makeServerPlace();
  await using anvil = await startAnvil({ args: ["--block-time", "1"] });
  const office = await openGateway(readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = office;
  await makeNetwork(deps, { rpcUrls: [anvil.url], minConfirmations: 2 });
  const env = { ...place.env, DENO_DEPLOY: "1", DENO_TIMELINE: "production" };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const startedAt = performance.now();
    const child = await startChildGateway(env, { permissions: PERMISSIONS });
    const startMs = performance.now() - startedAt;
    const merchant = await makeMerchant({ deps, url: child.url });
    const asset = { accountId: merchant.accountId, network: "ETH", currency: "ETH" };
    const hotWallet = await enable(deps, asset);
    await setBalance(anvil, hotWallet, ETHER);
    await adjustBalance(deps, { ...asset, amount: "1", note: "test", actor: "test" });
    const { address } = await allocate(merchant.api);
    await anvil.rpc("eth_sendTransaction", [
      { from: anvil.accounts[0], to: address, value: `0x${(10n ** 17n).toString(16)}` },
    ]);
    const paid = await withdraw(merchant.api, { to: STRANGER, amount: "0.5" });
    assert.equal(paid.status, 200, JSON.stringify(paid.body));
    await eventually(() => depositsOf(merchant.api), {
      until: ([row]) => row?.status === "confirmed",
    });
    await eventually(() => merchant.api.get(`/v1/withdrawals/${paid.body.data.withdrawal_id}`), {
      until: ({ body }) => body.data?.status === "confirmed",
    });
    using stopwatch = startStopwatch();
    Deno.kill(child.pid, signal);
    const { code } = await child.ended;
    const stopMs = stopwatch.ms();
    assert.equal(code, 0, child.stderr());
    assert.equal(child.stderr(), "");
    assert.ok(stopMs < STOPS_WITHIN_MS, `${stopMs} ms`);
    await showFigure(
      test,
      `${signal}: start ${startMs.toFixed(0)} ms, stop ${stopMs.toFixed(0)} ms`,
    );
  }
  await office.close();
});

Deno.test("the platform finds the crons by evaluating main.ts, before anything is awaited", async () => {
  const source = await Deno.readTextFile(`${ROOT}main.ts`);
  const crons = [...source.matchAll(/^Deno\.cron\(/gm)].map(({ index }) => index);
  assert.equal(crons.length, source.split("Deno.cron(").length - 1, "all at the top level");
  assert.ok(crons.length > 0);
  assert.ok(Math.max(...crons) < source.search(/^[^\s/].*\bawait runCli/m));
  const elsewhere = await filesWith("Deno.cron");
  assert.deepEqual(elsewhere.filter((file) => !file.endsWith("/main.ts")), []);
});

Deno.test("each job that repeats has a cron, which keeps it going", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const source = await Deno.readTextFile(`${ROOT}main.ts`);
  const kept = [...source.matchAll(/tickers\.(\w+)\.keepAlive\(\)/g)].map(([, name]) => name!);
  assert.deepEqual(kept.toSorted(), Object.keys(gateway.serving.tickers).toSorted());
});

async function filesWith(text: string, folder = `${ROOT}src`): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await filesWith(text, path));
    else if (name.endsWith(".ts") && (await Deno.readTextFile(path)).includes(`${text}(`)) {
      found.push(path);
    }
  }
  return found;
}
