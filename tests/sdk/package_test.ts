import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { SDK_FILE } from "../../src/domain/sdk_file.ts";
import { addSource } from "../../src/rates/manage.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../support/payers.ts";
import { eventually } from "../support/programs/eventually.ts";
import { lastingPort } from "../support/programs/ports.ts";
import { makeWebhook } from "../support/webhooks.ts";
import { startGateway } from "../support/gateway.ts";
import { startWorld } from "../support/world.ts";

const ROOT = new URL("../../", import.meta.url);
const TO = "0x00000000000000000000000000000000000bEEf1";

const FIRST_CALL = `import { Cpg } from "cpg-sdk";
const { CPG_URL: url, CPG_KEY_ID: keyId, CPG_SECRET: secret } = process.env;
const cpg = new Cpg({ url, keyId, secret });
const paid = await cpg.createWithdrawal({ network: "ETH", currency: "ETH", to_address: "${TO}", amount: "1" });
console.log(paid.status);
`;

const TYPED = `import { Cpg, type Withdrawal, type WebhookEvent, verifyWebhook } from "cpg-sdk";
const cpg = new Cpg({ url: "", keyId: "", secret: "" });
export const amount: Promise<Withdrawal["amount"]> = cpg.readWithdrawal(1).then((it) => it.amount);
export const event: Promise<WebhookEvent> = verifyWebhook("", {}, "");
// @ts-expect-error: amounts are text
export const wrong: Promise<bigint> = amount;
`;

async function run(program: string, args: string[], options: Deno.CommandOptions = {}) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, ...options })
    .output();
  const [out, faults] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${program} ${args.join(" ")}\n${out}${faults}`);
  return out!.trim();
}

/** An empty Node project, with the SDK in it that the gateway serves. */
async function installSdk(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-sdk-" });
  await run(Deno.execPath(), ["task", "-q", "sdk", "--check"], { cwd: ROOT });
  const gateway = await startGateway({ CPG_WORKER: "false" });
  try {
    const packed = await fetch(`${gateway.url}/docs/${SDK_FILE}`);
    assert.equal(packed.headers.get("content-type"), "application/gzip");
    await Deno.writeFile(`${folder}/${SDK_FILE}`, await packed.bytes());
  } finally {
    await gateway.stop();
  }
  await Deno.writeTextFile(`${folder}/package.json`, '{"type": "module"}');
  await run("npm", ["install", "--silent", "--offline", `./${SDK_FILE}`], { cwd: folder });
  return folder;
}

let folder: string;
Deno.test.beforeAll(async () => void (folder = await installSdk()));
Deno.test.afterAll(() => Deno.remove(folder, { recursive: true }));

Deno.test("the served SDK makes a payment in five lines, in an empty Node project and in Deno", async () => {
  const anvil = await startAnvil();
  const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  try {
    const { accountId, hotWallet, credentials } = world.merchant;
    await adjustBalance(world.deps, {
      ...{ accountId, network: "ETH", currency: "ETH" },
      ...{ amount: "10", note: "test", actor: "test" },
    });
    await setBalance(anvil, hotWallet, 10n * ETHER);
    await Deno.writeTextFile(`${folder}/first.js`, FIRST_CALL);
    const env = {
      CPG_URL: world.url,
      CPG_KEY_ID: credentials.keyId,
      CPG_SECRET: credentials.secret,
    };
    assert.equal(await run("node", ["first.js"], { cwd: folder, env }), "broadcasted");
    const deno = ["run", "--no-config", "--node-modules-dir=manual", "-NE", "first.js"];
    assert.equal(await run(Deno.execPath(), deno, { cwd: folder, env }), "broadcasted");
    assert.equal(BigInt(await anvil.rpc("eth_getBalance", [TO, "latest"])), 2n * ETHER);

    await Deno.writeTextFile(`${folder}/typed.ts`, TYPED);
    await run(Deno.execPath(), ["check", "--no-config", "--node-modules-dir=manual", "typed.ts"], {
      cwd: folder,
    });
  } finally {
    await world[Symbol.asyncDispose]();
    await anvil.stop();
  }
});

Deno.test("the SDK imports nothing but its own files", async () => {
  for await (const { name } of Deno.readDir(new URL("src/sdk/", ROOT))) {
    const text = await Deno.readTextFile(new URL(`src/sdk/${name}`, ROOT));
    const foreign = [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) => !/^\.\/\w+\.ts$/.test(from));
    assert.deepEqual(foreign, [], name);
  }
});

/** A shop of the guide, running beside the test. */
async function startShop(env: Record<string, string>, file = "shop.mjs") {
  await Deno.copyFile(new URL(`docs/examples/node/${file}`, ROOT), `${folder}/${file}`);
  const child = new Deno.Command("node", { args: [file], cwd: folder, env, stdout: "piped" })
    .spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value: line } = await reader.read();
  const call = async (path: string, order?: object) => {
    const init = order ? { method: "POST", body: JSON.stringify(order) } : {};
    return await (await fetch(line!.trim() + path, { ...init, redirect: "manual" })).json();
  };
  const stop = async () => {
    child.kill("SIGTERM");
    await reader.cancel();
    await child.status;
  };
  return { call, stop };
}

Deno.test("the guide's shop is paid, refunds once, and finds at night what it missed", async () => {
  const anvil = await startAnvil();
  const env = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  const world = await startWorld({ anvil, minConfirmations: 1, env });
  const { accountId, hotWallet, credentials } = world.merchant;
  const port = String(lastingPort());
  const pay = async (address: string, value: bigint) => {
    const payment = { from: anvil.accounts[0], to: address, value: `0x${value.toString(16)}` };
    await anvil.rpc("eth_sendTransaction", [payment]);
    await anvil.mine(1);
  };
  try {
    await setBalance(anvil, hotWallet, 10n * ETHER);
    const url = `http://127.0.0.1:${port}/hook`;
    const webhook = await makeWebhook(world.deps, { url, accountId });
    const settings = {
      CPG_URL: world.url,
      CPG_KEY_ID: credentials.keyId,
      CPG_SECRET: credentials.secret,
      CPG_WEBHOOK_SECRET: webhook.secret,
      PORT: port,
    };
    const shop = await startShop(settings);
    const [order, missed] = [
      await shop.call("/orders", { price: "1.5" }),
      await shop.call("/orders", { price: "2" }),
    ];
    await pay(order.address, 3n * ETHER / 2n);
    const isTrue = { until: (value: unknown) => value === true };
    await eventually(async () => (await shop.call(`/orders/${order.id}`)).isPaid, isTrue);
    const refund = { to_address: TO, amount: "0.5" };
    const { refund: first } = await shop.call(`/orders/${order.id}/refund`, refund);
    const { refund: again } = await shop.call(`/orders/${order.id}/refund`, refund);
    assert.equal(first.withdrawal_id, again.withdrawal_id);
    const forged = await shop.call("/hook", { type: "deposit.confirmed" });
    assert.match(forged.message, /webhook-id is missing/);
    await shop.stop();

    await pay(missed.address, 2n * ETHER);
    // With the fee of the refund.
    await eventually(async () => {
      await anvil.mine(1);
      const { body } = await world.merchant.api.get("/v1/balances");
      return `${body.data[0].balance} ${body.data[0].held}`;
    }, { until: (text) => text === "2.9974 0" });
    const night = JSON.parse(
      await run("node", ["shop.mjs", "reconcile"], { cwd: folder, env: settings }),
    );
    assert.deepEqual(night, { orders: 2, ours: "2.9974", balance: "2.9974" });
    const orders = new Map(JSON.parse(await Deno.readTextFile(`${folder}/shop.json`)));
    assert.equal((orders.get(missed.id) as { paid: string }).paid, "2");
  } finally {
    await world[Symbol.asyncDispose]();
    await anvil.stop();
  }
});

Deno.test("the guide's checkout sends customers to an invoice, and knows when it is paid", async () => {
  const anvil = await startAnvil();
  const env = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
  const world = await startWorld({ anvil, minConfirmations: 1, env });
  const { accountId, credentials } = world.merchant;
  const port = String(lastingPort());
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "2000" } as const;
  try {
    await addSource(world.deps, { ...price, actor: "test" });
    const url = `http://127.0.0.1:${port}/hook`;
    const webhook = await makeWebhook(world.deps, { url, accountId });
    const settings = {
      CPG_URL: world.url,
      CPG_KEY_ID: credentials.keyId,
      CPG_SECRET: credentials.secret,
      CPG_WEBHOOK_SECRET: webhook.secret,
      SHOP_URL: "https://shop.example",
      PORT: port,
    };
    const shop = await startShop(settings, "checkout.mjs");
    const [{ redirect }] = await Promise.all([
      shop.call("/orders", { title: "Two tickets", price: "25" }),
      shop.call("/orders", { title: "A chair", price: "80" }),
    ]);
    assert.equal((await (await fetch(redirect)).text()).includes("Two tickets"), true);
    const { body: { data } } = await world.merchant.api.get("/v1/invoices");
    const invoice = data.find(({ description }: { description: string }) =>
      description === "Two tickets"
    );
    assert.equal(invoice.url, redirect);
    assert.equal(invoice.redirect_url, `https://shop.example/orders/${invoice.reference}`);
    const method = { network: "ETH", currency: "ETH" };
    const path = `/v1/invoices/${invoice.invoice_id}`;
    const { body: chosen } = await world.merchant.api.post(`${path}/methods`, method);
    const to = chosen.data.methods[0].address;
    const payment = { from: anvil.accounts[0], to, value: `0x${(ETHER / 80n).toString(16)}` };
    await anvil.rpc("eth_sendTransaction", [payment]);
    await anvil.mine(1);
    // Nobody asks the shop meanwhile, so it knows from the webhook.
    const known = async () =>
      (await Deno.readTextFile(`${folder}/checkout.json`)).includes('"status":"paid"');
    await eventually(known, { until: (isPaid) => isPaid });
    const { status, paid } = await shop.call(`/orders/${invoice.reference}?status=expired`);
    assert.deepEqual([status, paid], ["paid", "25"]);
    const refund = { ...method, amount: "0.01" };
    const { refund_at } = await shop.call(`/orders/${invoice.reference}/refund`, refund);
    assert.equal((await fetch(refund_at)).status, 200);
    assert.match((await shop.call("/hook", {})).message, /webhook-id is missing/);
    await shop.stop();
    const all = JSON.parse(
      await run("node", ["checkout.mjs", "catch-up"], { cwd: folder, env: settings }),
    );
    assert.deepEqual(all.map(({ status }: { status: string }) => status).toSorted(), [
      "open",
      "paid",
    ]);
    const adjusted = { accountId, network: "ETH", currency: "ETH", amount: "1" };
    await adjustBalance(world.deps, { ...adjusted, note: "by hand", actor: "test" });
    const night = JSON.parse(
      await run("node", ["checkout.mjs", "reconcile"], { cwd: folder, env: settings }),
    );
    assert.deepEqual(night.map(({ note }: { note: string }) => note), ["by hand"]);
  } finally {
    await world[Symbol.asyncDispose]();
    await anvil.stop();
  }
});
