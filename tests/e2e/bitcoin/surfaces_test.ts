import assert from "node:assert/strict";
import { encodeQR } from "qr";
import { htmlOf } from "../../../src/base/html.ts";
import { Qr } from "../../../src/base/qr.tsx";
import { looksLike } from "../../../src/chains/any_address.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { searched } from "../../dashboard/search/searched.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { allocate, depositsOf } from "../../support/views.ts";

const LTC = { network: "LTC", currency: "LTC" };
const SECRETS = /cpg-tests|k3y-0f/;

Deno.test("an invoice in LTC has a link and codes in upper case, and its address as people write it", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using world = await startLitecoinLater(node);
  await node.mine(1);
  await world.round();
  const { merchant: { api } } = world;
  const made = await api.post("/v1/invoices", { amount: "0.015", currency: "LTC" });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const payerUrl = `${world.url}${new URL(made.body.data.url).pathname}`;
  await fetch(payerUrl, { method: "POST", body: new URLSearchParams({ coin: "LTC.LTC" }) })
    .then((answer) => answer.body?.cancel());
  const { body: { data: { methods: [method] } } } = await api.get(
    `/v1/invoices/${made.body.data.invoice_id}`,
  );
  const { address, payment_uri: uri } = method;
  assert.match(address, /^rltc1q[0-9a-z]{38}$/);
  assert.equal(uri, `litecoin:${address}?amount=0.015`);
  const page = await (await fetch(payerUrl)).text();
  assert.ok(page.includes(`href="${uri}"`));
  assert.ok(page.includes(`data-copy="${address}"`));
  const upper = address.toUpperCase();
  for (const text of [upper, `litecoin:${upper}?amount=0.015`]) {
    assert.ok(page.includes(await htmlPathOf(text)), text);
  }
});

async function htmlPathOf(text: string): Promise<string> {
  return / d="([^"]*)"/.exec(await htmlOf(Qr({ text, label: "" })))![1]!;
}

Deno.test("an address in upper case makes a smaller code", () => {
  const address = `rltc1q${"q".repeat(38)}`;
  const sizeOf = (text: string) => htmlOf(Qr({ text, label: "" }));
  const dense = encodeQR(address.toUpperCase(), "raw", {
    ...{ ecc: "medium", encoding: "alphanumeric", border: 4 },
  }).length;
  assert.match(
    String(sizeOf(address.toUpperCase())),
    new RegExp(`viewBox="0 0 ${dense} ${dense}"`),
  );
  assert.doesNotMatch(String(sizeOf(address)), new RegExp(`viewBox="0 0 ${dense} `));
});

Deno.test("people don't compare what all SegWit addresses begin with", () => {
  const like = (start: string, end: string) => `bc1q${start}${"x".repeat(30)}${end}`;
  assert.ok(looksLike(like("ar0s", "5mdq"), `bc1qar0s${"y".repeat(30)}5mdq`));
  assert.ok(!looksLike(like("ar0s", "5mdq"), like("ar0t", "5mdq")));
});

Deno.test("pages show what a chain of outputs has, hide logins, and find outputs", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinLater(node);
  const { deps, url, merchant: { api, hotWallet } } = world;
  const { address } = await allocate(api, LTC);
  const txHash = await node.pay(address, "1.25");
  await node.pay(hotWallet, "1");
  await node.pay(hotWallet, "2");
  const [block] = await node.mine(1);
  await world.round();
  const { token } = await makeLogin(deps);
  const show = async (path: string) => await (await dashboardFetch(url, { path, token })).text();
  const network = await show("/networks/LTC");
  assert.doesNotMatch(network, SECRETS);
  assert.match(network, /Maximum fee rate \(sat\/vB\)/);
  assert.match(network, /Default: 12/);
  assert.doesNotMatch(network, /Gas wallet|Top up hot wallets|Detect coins|Add a token/);
  const wallets = await show("/wallets");
  assert.match(wallets, /in 2 coins/);
  assert.doesNotMatch(wallets + await show("/"), /gas wallets|kept for gas/i);
  const saved = await dashboardFetch(url, {
    path: "/networks/LTC",
    token,
    form: {
      ...{ csrf: csrfOf(token), active: "on", name: "Litecoin", fee_max: "", gas_price_max: "0" },
      ...{ min_confirmations: "6", quorum: "1", poll_interval_ms: "50", collect_wait: "10m" },
      ...{ rpc_urls: node.url.replace(/\/\/.*@/, "//***@"), final_blocks: "24", fee_target: "" },
    },
  });
  assert.equal(saved.status, 303, await saved.text());
  const row = (await deps.catalog.current()).network("LTC")!;
  assert.deepEqual([row.finalBlocks, row.feeTarget], [24, null]);
  assert.deepEqual(deps.nodeUrls.of(row).rpcUrls, [node.url]);
  const [{ id } = { id: 0 }] = await depositsOf(api);
  const { vout } = (await node.rpc("getrawtransaction", [txHash, true, block])).vout
    .map((output: { scriptPubKey: { addresses: string[] } }, vout: number) => ({ output, vout }))
    .find(({ output }: { output: { scriptPubKey: { addresses: string[] } } }) =>
      output.scriptPubKey.addresses?.includes(address)
    );
  assert.equal((await searched(url, { token, q: `${txHash}:${vout}` })).to, `/deposits/${id}`);
  const payment = await show(`/deposits/${id}`);
  assert.match(payment, new RegExp(`<dt>Output</dt>[^]*${txHash}:${vout}`));
  assert.doesNotMatch(payment, /<dt>From<\/dt>|How it was paid/);
  assert.equal((await searched(url, { token, q: `${txHash}:${vout + 5}` })).to, undefined);
  const about = await deps.chains.of(row).about?.();
  assert.match(about?.facts.join() ?? "", /LitecoinCore:.*,not pruned,0 transactions/);
});

Deno.test("a network of outputs is added by its node on pages, and its costs are shown", async () => {
  await using node = await startLitecoind({ blocks: 3 });
  await using world = await startLitecoinLater(node);
  const { deps, url } = world;
  const { token } = await makeLogin(deps);
  const csrf = csrfOf(token);
  await node.mine(1);
  await world.round();
  const costs = await dashboardFetch(url, { path: "/networks/LTC/costs", token });
  assert.equal(costs.status, 200);
  assert.doesNotMatch(await costs.text(), /Gas left/);
  const post = (path: string, form: Record<string, string>) =>
    dashboardFetch(url, { path, token, form: { csrf, ...form } });
  const found = await post("/networks/new", { family: "bitcoin", rpc_url: node.url });
  const page = await found.text();
  assert.match(page, /LTC-REGTEST \(bitcoin\)/);
  assert.match(page, /Blocks until nothing is undone/);
  assert.doesNotMatch(page, /Fee model|Coins sent by contracts|Top up hot wallets/);
  const { rpc_url: _, ...fields } = {
    ...{ family: "bitcoin", rpc_url: "", code: "LITE", name: "Lite", start_block: "latest" },
    ...{ native_symbol: "LTC", native_decimals: "8", chain_id: "LTC-REGTEST", quorum: "1" },
    ...{ min_confirmations: "6", poll_interval_ms: "500", gas_price_max: "0", fee_max: "" },
    ...{ final_blocks: "", fee_target: "6" },
  };
  const genesis: string = await node.rpc("getblockhash", [0]);
  const added = await post("/networks/new/confirm", { ...fields, rpc_url: node.url, genesis });
  assert.equal(added.status, 303, await added.text());
  const row = (await deps.catalog.current()).network("LITE")!;
  assert.deepEqual([row.chainId, row.feeTarget, row.finalBlocks], ["LTC-REGTEST", 6, null]);
  const preset = await post("/networks", { preset: "LTC-REGTEST", rpc_url: node.url });
  assert.equal(preset.status, 303, await preset.text());
});
