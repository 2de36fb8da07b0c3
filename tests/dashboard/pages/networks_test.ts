import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  assertAccessible,
  assertFits,
  follow,
  keepScreenshot,
  startBrowser,
} from "../../support/dashboard/browser.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { allocate, balanceOf, depositsOf } from "../../support/views.ts";

/** Nothing listens there. */
const DEAD = "http://127.0.0.1:1";
const OWN_CHAIN = { args: ["--chain-id", "424242"] };

type Fields = Readonly<Record<string, string>>;

/** The fields that a browser would send from the confirmation form, with these typed in. */
function fieldsOf(html: string, typed: Fields): Record<string, string> {
  const form = /<form method="post" action="[^"]*\/confirm"[^]*?<\/form>/.exec(html)?.[0] ??
    assert.fail(html);
  const inputs = [...form.matchAll(/<input [^>]*>/g)].map(([tag]) => [
    /name="([^"]*)"/.exec(tag)![1]!,
    /value="([^"]*)"/.exec(tag)?.[1] ?? "",
  ]);
  const selects = [...form.matchAll(/<select [^>]*name="([^"]*)"[^]*?<\/select>/g)].map(
    ([select, name]) => [name!, /value="([^"]*)" selected/.exec(select)![1]!],
  );
  return { ...Object.fromEntries([...inputs, ...selects]), ...typed };
}

async function startOperator() {
  const gateway = await startGateway();
  const login = await makeLogin(gateway.deps);
  const post = async (path: string, form: Fields) => {
    const sent = { path, token: login.token, form: { ...form, csrf: csrfOf(login.token) } };
    const answer = await dashboardFetch(gateway.url, sent);
    return { status: answer.status, to: answer.headers.get("location"), text: await answer.text() };
  };
  return { ...gateway, login, post, [Symbol.asyncDispose]: () => gateway.stop() };
}

const send = (page: Page, name: string) => follow(page.getByRole("button", { name, exact: true }));
const shown = (page: Page, text: string | RegExp) =>
  page.getByRole("status").getByText(text).waitFor();

for (const isScriptOn of [true, false]) {
  const title = isScriptOn ? "with scripts" : "without scripts";
  Deno.test(`an operator adds a chain and a token, and a deposit of it is credited, ${title}`, async () => {
    await using anvil = await startAnvil(OWN_CHAIN);
    await using operator = await startOperator();
    await using browser = await startBrowser();
    const { deps, url, login } = operator;
    const token = await deploy(anvil, { name: "Token", args: ["GLD", 6] });
    const page = await openAs(browser, { url, login, isScriptOn, isPhone: true });
    const look = async (name: string) => {
      if (isScriptOn) await assertAccessible(page);
      await assertFits(page);
      await keepScreenshot(page, `${name}-${isScriptOn ? "scripts" : "plain"}`);
    };

    await page.goto(`${url}/dashboard/networks`);
    await page.getByRole("link", { name: "New network" }).click();
    await page.getByRole("link", { name: "add it by its node" }).click();
    await page.getByLabel("Node URL").fill(DEAD);
    await send(page, "Check node");
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel("Node URL").inputValue(), DEAD);
    await page.getByLabel("Node URL").fill(anvil.url);
    await send(page, "Check node");
    await page.getByText("424242 (evm)").waitFor();
    const { hash } = await anvil.rpc("eth_getBlockByNumber", ["0x0", false]);
    await page.getByText(hash).waitFor();
    await look("network-confirm");
    await page.getByLabel("Code", { exact: true }).fill("not a code");
    await page.getByLabel("Name", { exact: true }).fill("Our own chain");
    await page.getByLabel("Native coin", { exact: true }).fill("OWN");
    await page.getByLabel("Confirmations required").fill("2");
    await page.getByLabel("Poll interval (ms)").fill("50");
    await page.getByLabel("Wait for finality").selectOption("none");
    const add = async () => {
      if (!isScriptOn) return await send(page, "Add network");
      await page.getByRole("button", { name: "Add network", exact: true }).click();
      await follow(page.getByRole("dialog").getByRole("button", { name: "Add network" }));
    };
    await add();
    await page.getByText("Must be 1 to 32 characters").waitFor();
    assert.equal(await page.getByLabel("Native coin", { exact: true }).inputValue(), "OWN");
    await page.getByLabel("Code", { exact: true }).fill("own");
    await add();
    await shown(page, "OWN added");
    const network = (await deps.catalog.current()).network("OWN");
    assert.deepEqual(
      [network?.chainId, network?.genesisHash, network?.minConfirmations, network?.finality],
      ["424242", hash, 2, "none"],
    );

    await follow(page.getByRole("link", { name: "Add a token" }));
    const contract = page.getByLabel("Contract address");
    for (
      const [typed, words] of [
        ["0x12", "is not an address of OWN"],
        [token.address.toLowerCase().replace("0x", "0x0"), "is not an address of OWN"],
        [anvil.accounts[1]!, "No token answers at"],
      ] as const
    ) {
      await contract.fill(typed);
      await send(page, "Look up token");
      await page.getByRole("alert").getByText(words).waitFor();
    }
    await contract.fill(token.address.toLowerCase());
    await send(page, "Look up token");
    await page.getByText(token.address).first().waitFor();
    await page.getByText("(GLD)").waitFor();
    await look("token-confirm");
    await send(page, "Add token");
    await shown(page, "GLD added");
    const currency = (await deps.catalog.current()).currency("OWN", "GLD");
    assert.deepEqual([currency?.contractAddress, currency?.decimals], [token.address, 6]);

    const { accountId, api } = await makeMerchant(operator);
    await enable(deps, { accountId, network: "OWN", currency: "GLD" });
    const { address } = await allocate(api, { network: "OWN", currency: "GLD" });
    await token.send("mint", [address, 12_500_000n]);
    await anvil.mine(3);
    await eventually(() => depositsOf(api), { until: ([row]) => row?.status === "confirmed" });
    assert.equal((await balanceOf(api, "GLD")).balance, "12.5");
  });
}

Deno.test("a TRON network and its token are added, with name, symbol and decimals from the chain", async () => {
  await using node = await startTronNode();
  await using operator = await startOperator();
  const { deps, post } = operator;
  const token = node.deployToken({ name: "Gold coin", symbol: "GLD", decimals: 8 });
  const seen = await post("/networks/new", { family: "tron", rpc_url: node.url });
  assert.equal(seen.status, 200, seen.text);
  assert.ok(seen.text.includes(node.chain.blocks[0]!.id));
  const named = { code: "NILE", name: "Nile", poll_interval_ms: "50", min_confirmations: "3" };
  const added = await post("/networks/new/confirm", fieldsOf(seen.text, named));
  assert.deepEqual([added.status, added.to], [303, "/dashboard/networks/NILE"], added.text);
  const network = (await deps.catalog.current()).network("NILE");
  assert.deepEqual([network?.family, network?.nativeSymbol, network?.finality], [
    "tron",
    "TRX",
    "finalized",
  ]);
  const read = await post("/networks/NILE/add-token", { contract: token.address });
  assert.match(read.text, /Gold coin \(GLD\)/);
  // The gateway doesn't trust the form's decimals.
  const form = fieldsOf(read.text, { decimals: "2" });
  const confirmed = await post("/networks/NILE/add-token/confirm", form);
  assert.equal(confirmed.to, "/dashboard/networks/NILE");
  const currency = (await deps.catalog.current()).currency("NILE", "GLD");
  assert.deepEqual([currency?.name, currency?.decimals], ["Gold coin", 8]);
  const again = await post("/networks/NILE/add-token", { contract: token.address });
  assert.match(again.text, /There is already a currency GLD on NILE/);
  const twice = await post("/networks/NILE/add-token/confirm", fieldsOf(again.text, {}));
  assert.deepEqual([twice.status, /already has GLD/.test(twice.text)], [422, true]);

  token.mint(node.bank, 10n ** 12n);
  const { accountId, api } = await makeMerchant(operator);
  await enable(deps, { accountId, network: "NILE", currency: "GLD" });
  const { address } = await allocate(api, { network: "NILE", currency: "GLD" });
  node.trigger(token.address, token.transferData(address, 250_000_000n));
  await eventually(async () => {
    node.produce();
    return await depositsOf(api);
  }, { until: ([row]) => row?.status === "confirmed" });
  assert.equal((await balanceOf(api, "GLD")).balance, "2.5");
});

Deno.test("the node is asked again: another chain, another kind or a silent node adds nothing", async () => {
  await using own = await startAnvil(OWN_CHAIN);
  await using other = await startAnvil();
  await using operator = await startOperator();
  const { deps, post } = operator;
  const seen = await post("/networks/new", { family: "evm", rpc_url: own.url });
  const form = fieldsOf(seen.text, { code: "OWN", name: "Own" });
  for (
    const [change, words] of [
      [{ rpc_url: other.url }, /is now on a different chain/],
      [{ genesis: `0x${"0".repeat(64)}` }, /is now on a different chain/],
      [{ chain_id: "1" }, /is now on a different chain/],
      [{ rpc_url: DEAD }, /That didn/],
      [{ family: "tron" }, /That didn/],
      [{ rpc_url: `${own.url} ${other.url}` }, /That didn/],
      [{ quorum: "2" }, /quorum of 2 needs at least 2/],
      [{ traces: "perhaps" }, /Must be one of auto, on, off/],
    ] as const
  ) {
    const answer = await post("/networks/new/confirm", { ...form, ...change });
    assert.equal(answer.status, 422, JSON.stringify(change));
    assert.match(answer.text, words, JSON.stringify(change));
  }
  assert.deepEqual((await deps.catalog.current()).networks, []);
  assert.equal((await post("/networks/new/confirm", form)).status, 303);
  const twice = await post("/networks/new", { family: "evm", rpc_url: own.url });
  assert.match(twice.text, /OWN is already on this chain/);
  const fromAnotherPage = { ...form, page_id: "another" };
  const refused = await post("/networks/new/confirm", fromAnotherPage);
  assert.match(refused.text, /A network OWN already exists/);
});

Deno.test("a network's nodes can only be replaced by others of the same chain, and not by silent ones unasked", async () => {
  await using own = await startAnvil();
  await using other = await startAnvil(OWN_CHAIN);
  await using operator = await startOperator();
  const { deps, url, login, post } = operator;
  await makeNetwork(deps, { rpcUrls: [own.url] });
  const page = await dashboardFetch(url, { path: "/networks/ETH", token: login.token });
  const html = (await page.text()).replace('action="/dashboard/networks/ETH"', 'action="/confirm"');
  const form = fieldsOf(html, {});
  const refused = await post("/networks/ETH", { ...form, rpc_urls: other.url });
  assert.match(refused.text, /ETH is chain 31337, but the node is on chain 424242/);
  const silent = await post("/networks/ETH", { ...form, rpc_urls: DEAD });
  assert.equal(silent.status, 422);
  assert.match(silent.text, /ETH keeps its nodes. To set the new ones anyway, tick/);
  assert.match(silent.text, /<input type="checkbox" name="force"/);
  assert.deepEqual((await deps.catalog.current()).network("ETH")?.rpcUrls, [own.url]);
  const forced = { ...form, rpc_urls: DEAD, force: "on" };
  assert.equal((await post("/networks/ETH", forced)).status, 303);
  assert.deepEqual((await deps.catalog.current()).network("ETH")?.rpcUrls, [DEAD]);
});

Deno.test("a listed network whose node is silent is refused without words about flags", async () => {
  await using operator = await startOperator();
  const { status, text } = await operator.post("/networks", { preset: "ETH", rpc_url: DEAD });
  assert.equal(status, 422);
  const fault = /<[^>]*class="message fault"[^>]*>([^<]*)/.exec(text)?.[1] ?? "";
  assert.match(fault, /127\.0\.0\.1:1/);
  assert.doesNotMatch(fault, /--|start-block/);
});
