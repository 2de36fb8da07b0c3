import assert from "node:assert/strict";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type ContractName, deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import { ready, refused, send } from "./preflights.ts";

const NEEDS_MORE = "The recipient needs more gas than is allowed";
const GAS_MAX = 100_000n;

let anvil: Anvil;
const wallet = makeWallet(1);
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  await fund(anvil, wallet.address);
});
Deno.test.afterAll(() => anvil.stop());

const chain = (url = anvil.url) => connectEvm({ rpcUrls: [url] });

function prepare(
  to: string,
  { gasMax = GAS_MAX, contract = null, url = anvil.url }: {
    gasMax?: bigint | null;
    contract?: string | null;
    url?: string;
  } = {},
) {
  const request = { from: wallet.address, to, contract, amountRaw: 5n };
  return chain(url).prepareTransfer(request, { gasMax });
}

async function recipient(name: ContractName, args: readonly unknown[] = []): Promise<string> {
  return (await deploy(anvil, { name, args })).address;
}

Deno.test("a recipient that burns 25 to 30 million gas is refused, and paid if that is allowed", async () => {
  for (const wanted of [25_000_000n, 40_000_000n]) {
    const to = await recipient("Burner", [wanted, false]);
    assert.equal(refused(await prepare(to), "reverts"), NEEDS_MORE);
  }
  const to = await recipient("Burner", [25_000_000n, false]);
  const { gas } = ready(await prepare(to, { gasMax: 28_000_000n })).detail;
  assert.ok(gas > 25_000_000n && gas <= 28_021_000n, `${gas}`);
});

Deno.test("a recipient that burns only if gas has a price is refused", async () => {
  const greedy = await recipient("Burner", [25_000_000n, true]);
  assert.equal(refused(await prepare(greedy), "reverts"), NEEDS_MORE);
});

Deno.test("a recipient that needs a little more at the real price gets it, within the limit", async () => {
  const modest = await recipient("Burner", [60_000n, true]);
  const prepared = ready(await prepare(modest));
  assert.ok(prepared.detail.gas > 80_000n && prepared.detail.gas <= 121_000n);
  const sent = await send({ anvil, chain: chain(), wallet }, prepared);
  assert.ok(sent.succeeded && sent.gasUsed > 80_000n);
  assert.equal(refused(await prepare(modest, { gasMax: 50_000n }), "reverts"), NEEDS_MORE);
});

Deno.test("the margin stays within the limit, to the unit", async () => {
  const hungry = await recipient("Burner", [50_000n, false]);
  const { gas } = ready(await prepare(hungry, { gasMax: null })).detail;
  const needed = gas * 5n / 6n;
  for (const over of [0n, 1n, 100n, 5_000n]) {
    const gasMax = needed - 21_000n + over;
    const limited = ready(await prepare(hungry, { gasMax }));
    assert.equal(limited.detail.gas, 21_000n + gasMax);
    assert.ok((await send({ anvil, chain: chain(), wallet }, limited)).succeeded);
  }
  const gasMax = needed - 21_001n;
  assert.equal(refused(await prepare(hungry, { gasMax }), "reverts"), NEEDS_MORE);
});

/** Makes every payment to a new account cost this much more, as a fork might. */
async function dearNewAccounts(more: bigint) {
  const known = new Set<string>();
  return await startFaultProxy(anvil.url, (method, params) => {
    const to = (params[0] as { to?: string } | undefined)?.to;
    if (method !== "eth_estimateGas" || known.has(to!)) return "pass";
    return {
      edit: ({ result, ...reply }) => ({
        ...reply,
        result: `0x${(BigInt(result as string) + more).toString(16)}`,
      }),
    };
  });
}

Deno.test("the cost of a new account isn't counted as code's gas, whatever a fork changes", async () => {
  await using forked = await dearNewAccounts(183_600n);
  const { gas } = ready(await prepare(makeWallet(77).address, { url: forked.url })).detail;
  assert.equal(gas, (204_600n * 6n + 4n) / 5n);
  const strict = await prepare(makeWallet(78).address, { url: forked.url, gasMax: 0n });
  assert.equal(ready(strict).detail.gas, 204_600n, "and with nothing on top there is no margin");
});

Deno.test("a token may use its own limit on top of the same call to an unused address", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  await token.send("mint", [wallet.address, 10n]);
  const to = makeWallet(5).address;
  const order = { contract: token.address };
  const { gas } = ready(await prepare(to, { ...order, gasMax: 300_000n })).detail;
  assert.ok(gas > 40_000n && gas < 100_000n);
  assert.equal(refused(await prepare(to, { ...order, gasMax: 10_000n }), "reverts"), NEEDS_MORE);
});

Deno.test("gas reserved for a recipient who may empty his balance stops at the limit and refuses nobody", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const holder = makeWallet(6).address;
  await token.send("mint", [wallet.address, 10n]);
  await token.send("mint", [holder, 1n]);
  const order = { from: wallet.address, to: holder, contract: token.address, amountRaw: 5n };
  const ask = async (asToNewHolder: boolean, gasMax: bigint | null) =>
    await chain().prepareTransfer({ ...order, asToNewHolder }, { gasMax });
  const plain = ready(await ask(false, null)).detail.gas;
  const roomy = ready(await ask(true, null)).detail.gas;
  assert.ok(roomy > plain + 10_000n);
  // Finds the least gas with which a payment to a holder is ready.
  let [least, most] = [0n, 100_000n];
  while (least < most) {
    const gasMax = (least + most) / 2n;
    if ((await ask(false, gasMax)).kind === "ready") most = gasMax;
    else least = gasMax + 1n;
  }
  const prepared = ready(await ask(true, least));
  assert.equal(prepared.detail.gas, ready(await ask(false, least)).detail.gas);
  assert.ok((await send({ anvil, chain: chain(), wallet }, prepared)).succeeded);
  assert.equal(refused(await ask(true, least - 1n), "reverts"), NEEDS_MORE);
});

/** Each trial's new holder is a random address, whose zero bytes cost 12 gas less than others. */
const ZERO_BYTES_GAS_MAX = 20n * 12n;

Deno.test("gas reserved for a recipient who may empty his balance is no reason to call a fee too high", async () => {
  const token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  const holder = makeWallet(6).address;
  await token.send("mint", [wallet.address, 10n]);
  await token.send("mint", [holder, 1n]);
  const order = { from: wallet.address, to: holder, contract: token.address, amountRaw: 5n };
  const ask = async (asToNewHolder: boolean, gasPaid: bigint) => {
    const feeMaxFor = (gas: bigint) => gas > gasPaid ? 0n : 10n ** 18n;
    return await chain().prepareTransfer({ ...order, asToNewHolder }, { feeMaxFor });
  };
  const plain = ready(await ask(false, 1_000_000n)).detail.gas;
  const roomy = ready(await ask(true, 1_000_000n)).detail.gas;
  assert.ok(roomy > plain + 10_000n);
  assert.ok(ready(await ask(true, roomy + ZERO_BYTES_GAS_MAX)).detail.gas > plain + 10_000n);
  for (const gasPaid of [roomy - ZERO_BYTES_GAS_MAX, plain]) {
    assert.equal(ready(await ask(true, gasPaid)).detail.gas, plain);
  }
  const prepared = ready(await ask(true, plain));
  assert.ok((await send({ anvil, chain: chain(), wallet }, prepared)).succeeded);
  refused(await ask(true, plain - 1n), "above_fee_max");
});

Deno.test("a drain is limited in the same way", async () => {
  const to = await recipient("Burner", [25_000_000n, false]);
  const rich = makeWallet(9);
  await fund(anvil, rich.address);
  const drain = { from: rich.address, to, amountMaxRaw: 10n ** 18n, spendableRaw: 10n ** 18n };
  const result = await chain().prepareDrain(drain, { gasMax: GAS_MAX });
  assert.equal(refused(result, "reverts"), NEEDS_MORE);
  const sly = { ...drain, to: await recipient("Burner", [25_000_000n, true]) };
  assert.equal(
    refused(await chain().prepareDrain(sly, { gasMax: GAS_MAX }), "reverts"),
    NEEDS_MORE,
  );
});

Deno.test("a payment to an account without code takes one trial, and one with code takes two", async () => {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const bodies = async (to: string) => {
    const before = proxy.bodies.length;
    await prepare(to, { url: proxy.url });
    return proxy.bodies.slice(before).filter((body) =>
      body.some(({ method }) => method === "eth_call")
    ).length;
  };
  assert.equal(await bodies(makeWallet(6).address), 1);
  assert.equal(await bodies(await recipient("Hungry")), 2);
});
