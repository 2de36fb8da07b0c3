import assert from "node:assert/strict";
import { startDemoChain } from "../../src/sandbox/demo/chain.ts";
import { DEMO_TOKEN_DEPLOYMENT } from "../../src/sandbox/demo/token.ts";
import { Cpg } from "../../src/sdk/mod.ts";
import { askNode } from "../support/nodes/anvil.ts";
import { apiClient } from "../support/api_client.ts";
import { sentId } from "../support/payouts.ts";
import { withdraw, withdrawalOf } from "../support/views.ts";
import { hasTools } from "../support/document_shell.ts";
import { startBrowser } from "../support/dashboard/browser.ts";
import { eventually } from "../support/programs/eventually.ts";
import { startReceiver } from "../support/programs/receiver.ts";
import { type Answer, makeCli } from "./cli_host.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("the demo's token is the one that the tests compiled", async () => {
  const file = new URL("../support/contracts/Token.json", import.meta.url);
  const { bytecode } = JSON.parse(await Deno.readTextFile(file));
  assert.ok(DEMO_TOKEN_DEPLOYMENT.startsWith(bytecode));
});

const canPaste = await hasTools({ tests: 2 });

Deno.test({
  name: "every line that the demo prints works when pasted into bash and into sh",
  ignore: !canPaste,
  fn: async () => {
    await Promise.all([followGuide("bash", [], { pastes: 2 }), followGuide("sh", ["--tron"])]);
  },
});

Deno.test({
  name: "every line that the demo prints works also while its node answers badly",
  ignore: !canPaste,
  fn: async () => {
    const reported = await Promise.all([
      followGuide("bash", ["--faults", "--seed", "11"]),
      followGuide("sh", ["--tron", "--faults", "--seed", "12"]),
    ]);
    for (const err of reported) assert.match(err, /Disturbed [1-9]\d* of \d+ requests.*: \w+ \d/);
  },
});

Deno.test("the demo's chain takes payments of the same moment, each with a nonce of its own", async () => {
  const chain = await startDemoChain({ note: () => {} });
  try {
    await chain.tick();
    const to = `0x${"5e".repeat(20)}`;
    const values = Array.from({ length: 16 }, (_, i) => BigInt(i + 1));
    await Promise.all(values.map((valueRaw) => chain.pay({ to, valueRaw })));
    const balance = () =>
      askNode(chain.rpcUrl, { method: "eth_getBalance", params: [to, "latest"] });
    const all = values.reduce((sum, value) => sum + value);
    await eventually(balance, { until: (found) => BigInt(found) === all });
  } finally {
    await chain.stop();
  }
});

Deno.test("the demo's faults have a given or random seed, and none without faults", async () => {
  await using cli = await makeCli();
  assert.match(await cli.fails(2, "demo", "--seed", "7"), /^--seed .* needs --faults$/);
  assert.match((await guideOf(["--faults"])).guide, /demo --faults --seed \d+\n/);
  assert.doesNotMatch((await guideOf([])).guide, /faults|TRON/);
});

Deno.test("serve and demo end with an error once nobody can connect to them any more", async () => {
  for (const words of [["serve"], ["demo"], []]) {
    await using cli = await makeCli();
    const lost = Promise.withResolvers<unknown>();
    const { code, err } = await cli.run(words, {
      lost: lost.promise,
      onOut: () => lost.resolve(new Error("the socket is gone")),
    });
    assert.equal(code, 1);
    assert.match(err, /error: No connections can be accepted any more: Error: the socket is gone/);
    assert.equal(/^No command was given, so this serves; "help" /m.test(err), words.length === 0);
  }
});

Deno.test("a demo whose port is in use says so before it sets anything up", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await using cli = await makeCli({ CPG_PORT: String(listener.addr.port) });
  assert.match(
    await cli.fails(1, "demo"),
    /^Port \d+ on 127\.0\.0\.1 is in use: .* set CPG_PORT; for example: CPG_PORT=\d+$/,
  );
  assert.deepEqual(await cli.json("network", "list"), []);
});

/** The guide that the demo prints, and its other output until it ended. */
async function guideOf(
  flags: readonly string[],
  follow: (guide: string) => Promise<void> = () => Promise.resolve(),
): Promise<{ guide: string; err: string }> {
  await using cli = await makeCli();
  const stopped = Promise.withResolvers<void>();
  const printed = Promise.withResolvers<string>();
  const running = cli.run(["demo", ...flags], {
    stopped: stopped.promise,
    onOut: printed.resolve,
  });
  const guide = await Promise.race([printed.promise, running]);
  assert.ok(typeof guide === "string", JSON.stringify(guide));
  await follow(guide);
  stopped.resolve();
  const { code, err } = await running;
  assert.equal(code, 0);
  const rpcUrl = /RPC_URL=(\S+)/.exec(guide)![1]!;
  await assert.rejects(askNode(rpcUrl, { method: "eth_chainId", params: [] }));
  const tronUrl = /a simulated TRON node at (http:\/\/127\.0\.0\.1:\d+)/.exec(guide)?.[1];
  assert.equal(tronUrl !== undefined, flags.includes("--tron"));
  if (tronUrl) await assert.rejects(fetch(tronUrl));
  assert.match(
    await cli.fails(1, "demo"),
    /^The demo needs an empty database, and this one has the network ETH/,
  );
  return { guide, err };
}

/** The demo's output besides the guide. */
async function followGuide(
  shell: string,
  flags: readonly string[] = [],
  { pastes = 1 } = {},
): Promise<string> {
  const { err } = await guideOf(flags, async (printed) => {
    const [, guide] = /(# cpg METHOD[^]*)The command line works/.exec(printed)!;
    const hasTron = flags.includes("--tron");
    if (flags.includes("--faults")) assert.ok(printed.includes(`demo ${flags.join(" ")}`));
    // What is clicked comes last, because everything above it scrolls away.
    const links = printed.trimEnd().split("\n").slice(-6);
    const firsts = links.map((line) => line.replace(/:? http\S+$/, ""));
    const [login, ...others] = firsts;
    assert.match(login!, /^Sign in as the merchant, merchant@example\.com with the password \S+$/);
    assert.deepEqual(others, [
      "Open the dashboard and create the first operator",
      "The API's documentation",
      "Pay an invoice with two clicks",
      "Start another invoice",
      "Ctrl-C here ends all of it.",
    ]);
    for (let count = 0; count < pastes; count++) await paste(shell, { guide: guide!, hasTron });
  });
  return err;
}

async function paste(
  shell: string,
  { guide, hasTron }: { guide: string; hasTron: boolean },
): Promise<void> {
  const child = new Deno.Command(shell, { stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(guide));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const out = new TextDecoder().decode(stdout);
  assert.ok(success);
  assert.equal(new TextDecoder().decode(stderr), "");
  const all = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  const answers = all.filter((answer) => answer.success ?? answer.result);
  assert.equal(answers.length, hasTron ? 15 : 12, out);
  const refused = all.filter((answer) => !answers.includes(answer));
  assert.ok(refused.every(({ data }) => data.status === "failed"), out);
  const [, before, , , , , ether, token, after, , withdrawal, transactions, , payout] = answers;
  for (const request of [ether, token]) {
    assert.equal(request.data.status, "settled", out);
    assert.equal(request.data.transactions.length, 1, out);
  }
  const [had, has] = [before, after].map(({ data }) =>
    ["ETH", "USDT"].map((coin) => data.find((row: Answer) => row.currency === coin).balance)
  );
  assert.deepEqual(has!.map((amount, i) => (amount - had![i]).toFixed(6)), [
    "1.000000",
    "25.000000",
  ]);
  assert.equal(withdrawal.data.status, "confirmed", out);
  assert.ok(transactions.data_count >= 3);
  assert.equal(payout?.data.status, hasTron ? "confirmed" : undefined, out);
}

Deno.test("the demo starts anew each time, one at a time, and ends with its chain", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  const first = await startDemo(folder);
  assert.equal(first.answer.networks[0].code, "ETH");
  const { merchant: { email, password }, dashboard_url: dashboardUrl } = first.answer;
  const page = await (await fetch(`${dashboardUrl}/sign-in`)).text();
  assert.match(page, /name="password"/);
  assert.deepEqual([email, /^[a-z2-7]{5}(-[a-z2-7]{5}){3}$/.test(password)], [
    ...["merchant@example.com", true],
  ]);
  assert.match(first.answer.set_up_url, /set-up/);
  assert.equal(
    await askNode(first.answer.rpc_url, { method: "eth_chainId", params: [] }),
    "0x7a69",
  );
  const second = await spawnDemo(folder).output();
  assert.equal(second.code, 1);
  assert.match(
    JSON.parse(new TextDecoder().decode(second.stdout)).error.message,
    /^Another gateway is already serving file:.\/data\/demo\/cpg.db/,
  );
  const alive = await fetch(`${first.answer.base_url}/healthz`);
  assert.deepEqual(await alive.json(), { status: "alive" });
  assert.equal(await first.end(), 0);
  await assert.rejects(askNode(first.answer.rpc_url, { method: "eth_chainId", params: [] }));
  const again = await startDemo(folder);
  assert.equal(again.answer.account_id, 1);
  assert.notEqual(again.answer.key_id, first.answer.key_id);
  assert.equal(await again.end(), 0);
  await Deno.remove(folder, { recursive: true });
});

const hasLitecoind = await new Deno.Command("litecoind", { args: ["-version"], stdout: "null" })
  .output().then(({ success }) => success, () => false);

Deno.test({
  name:
    "with --litecoin an invoice is paid in LTC, a payout is made, and the node ends with the demo",
  ignore: !hasLitecoind,
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
    const demo = await startDemo(folder, ["--litecoin"]);
    const { invoice_url, base_url, key_id: keyId, secret, networks: [, ltc] } = demo.answer;
    assert.deepEqual([ltc.code, ltc.chain_id], ["LTC", "LTC-REGTEST"]);
    const api = new Cpg({ url: base_url, keyId, secret });
    const post = async (path: string, fields: Record<string, string> = {}) => {
      const url = `${base_url}${new URL(invoice_url).pathname}${path}`;
      const body = new URLSearchParams(fields);
      const answer = await fetch(url, { method: "POST", body, redirect: "manual" });
      await answer.body?.cancel();
      assert.equal(answer.status, 303, path);
    };
    await post("", { coin: "LTC.LTC" });
    await post("/demo/LTC.LTC");
    const paid = () => Array.fromAsync(api.listInvoices({ status: "paid" }));
    await eventually(paid, { until: (rows) => rows.length === 1 });
    const signed = apiClient(base_url, { keyId, secret });
    const order = { network: "LTC", currency: "LTC", to: ltc.payer, amount: "0.5" };
    const id = sentId(await withdraw(signed, order));
    await eventually(() => withdrawalOf(signed, id), {
      until: ({ status }) => status === "confirmed",
    });
    assert.equal(await demo.end(), 0);
    await assert.rejects(fetch(ltc.rpc_url));
    await assert.rejects(Deno.stat(`${folder}/data/demo-litecoin`), Deno.errors.NotFound);
    await Deno.remove(folder, { recursive: true });
  },
});

Deno.test("without litecoind, --litecoin says where to get it, and nothing is left running", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  // What ends the chain with the demo needs it.
  await Deno.symlink("/bin/cat", `${folder}/cat`);
  const args = ["run", "-q", "--config", `${ROOT}deno.json`, "-A", `${ROOT}main.ts`, "demo"];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, "--litecoin"],
    cwd: folder,
    env: { CPG_PORT: "0", CPG_DATABASE_URL: "", CPG_LOG_LEVEL: "silent", PATH: folder },
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.equal(code, 1);
  assert.match(new TextDecoder().decode(stderr), /needs litecoind on the PATH: .*apt-get install/);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the demo's invoices are paid with a click, each exactly once", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  const demo = await startDemo(folder, ["--tron"]);
  const { invoice_url, payment_link_url, base_url, key_id: keyId, secret } = demo.answer;
  assert.deepEqual(demo.answer.networks.map(({ code }: { code: string }) => code), ["ETH", "TRX"]);
  await using browser = await startBrowser();
  await Promise.all(["ETH.USDT", "ETH.ETH", "TRX.USDT", "TRX.TRX"].map(async (coin) => {
    const page = await browser.open();
    if (coin === "ETH.USDT") await page.goto(invoice_url);
    else {
      await page.goto(payment_link_url);
      await page.click("button.button");
    }
    await page.click(`button[value="${coin}"]`);
    const pay = page.getByRole("button", { name: "Pay with the demo wallet" });
    const path = await page.locator("form[action*=demo]").getAttribute("action");
    const again = new URL(path!, base_url);
    const foreign = { "sec-fetch-site": "cross-site" };
    await fetch(again, { method: "POST", headers: foreign, redirect: "manual" });
    // At the same time as the click's, and not before: a page that was read again has no button.
    const other = Promise.withResolvers<Response>();
    await page.route(again.href, async (route) => {
      other.resolve(fetch(again, { method: "POST", redirect: "manual" }));
      await route.continue();
    });
    await pay.click();
    assert.equal((await other.promise).status, 303, "The payment is on its way");
    await page.getByText("Paid. Thank you!").waitFor();
  }));
  const api = new Cpg({ url: base_url, keyId, secret });
  const { methods } = await api.createInvoice({ amount: "25", currency: "EUR" });
  const amounts = methods.map(({ amount_decimal }) => amount_decimal);
  assert.deepEqual(amounts, ["0.0125", "31.25", "104.166667", "31.25"]);
  const rows = await Array.fromAsync(api.listInvoices({ status: "paid" }));
  const once = [1, "0"];
  assert.deepEqual(
    rows.map(({ payments, overpaid }) => [payments.length, overpaid]),
    [once, once, once, once],
  );
  assert.equal(await demo.end(), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a demo that is killed leaves no chain behind, and until then its invoice lasts a day", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  const demo = await startDemo(folder);
  const { base_url, rpc_url, key_id: keyId, secret } = demo.answer;
  const api = new Cpg({ url: base_url, keyId, secret });
  const [invoice] = await Array.fromAsync(api.listInvoices({}));
  const { methods } = await api.createInvoice({ amount: "20.001", currency: "USD" });
  assert.equal(methods[0]?.amount_decimal, "0.008001", "Of 0.0080004 ETH, what people can compare");
  const lastsH = (Date.parse(invoice!.expires_at) - Date.parse(invoice!.created_at)) / 3_600_000;
  assert.ok(lastsH >= 24, String(lastsH));
  const isThere = () =>
    askNode(rpc_url, { method: "eth_chainId", params: [] }).then(() => true, () => false);
  assert.equal(await isThere(), true);
  await demo.kill();
  await eventually(isThere, { until: (there) => !there });
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the demo and commands on its database send webhooks to this machine by default", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  await using receiver = startReceiver();
  const demo = await startDemo(folder);
  const { base_url, key_id: keyId, secret, payer } = demo.answer;
  const add = ["webhook", "add", "--account", "1", "--url", receiver.url];
  assert.equal((await inDemo(folder, add)).webhook_id, 1);
  assert.equal((await inDemo(folder, ["webhook", "test", "1"])).delivered, true);
  const off = await inDemo(folder, ["webhook", "test", "1"], "false");
  assert.match(off.error, /^not sent: .*CPG_WEBHOOK_ALLOW_PRIVATE=true/);
  const order = { network: "ETH", currency: "ETH", to_address: payer, amount: "0.01" };
  await new Cpg({ url: base_url, keyId, secret }).createWithdrawal(order);
  const types = () => receiver.received.map(({ event }) => event.type);
  await eventually(() => Promise.resolve(types()), {
    until: (all) => all.includes("withdrawal.broadcasted"),
  });
  assert.equal(await demo.end(), 0);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("the demo's database is backed up and proved like any other", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  const demo = await startDemo(folder);
  const backup = await inDemo(folder, ["backup", `${folder}/copy.db`]);
  assert.equal(backup.ok, true, JSON.stringify(backup));
  assert.equal((await inDemo(folder, ["drill", `${folder}/copy.db`])).ok, true);
  assert.equal(await demo.end(), 0);
  await Deno.remove(folder, { recursive: true });
});

async function inDemo(folder: string, words: string[], CPG_WEBHOOK_ALLOW_PRIVATE = "") {
  const args = ["run", "-q", "--config", `${ROOT}deno.json`, "-A", `${ROOT}main.ts`, ...words];
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [...args, "--json"],
    cwd: folder,
    env: { CPG_DATABASE_URL: "file:./data/demo/cpg.db", CPG_WEBHOOK_ALLOW_PRIVATE },
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

async function startDemo(folder: string, flags: readonly string[] = []) {
  const child = spawnDemo(folder, flags).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  let out = "";
  for await (const text of lines.values({ preventCancel: true })) {
    out += text;
    if (out.includes("\n")) break;
  }
  return {
    answer: JSON.parse(out),
    kill: async () => {
      child.kill("SIGKILL");
      await lines.cancel();
      await child.status;
    },
    end: async () => {
      child.kill("SIGTERM");
      await lines.cancel();
      return (await child.status).code;
    },
  };
}

function spawnDemo(folder: string, flags: readonly string[] = []): Deno.Command {
  const args = ["run", "-q", "--config", `${ROOT}deno.json`, "-A", `${ROOT}main.ts`];
  return new Deno.Command(Deno.execPath(), {
    args: [...args, "demo", ...flags, "--json"],
    cwd: folder,
    env: { CPG_PORT: "0", CPG_DATABASE_URL: "", CPG_LOG_LEVEL: "silent" },
    stdout: "piped",
    stderr: "null",
  });
}
