import assert from "node:assert/strict";
import { deploy } from "../../../support/nodes/contracts.ts";
import { makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";
import { showFigure } from "../../../support/show_figure.ts";
import {
  authorizationsOf,
  delegateAll,
  makeWallets,
  type Scene,
  sendBatch,
  startScene,
} from "./scene.ts";

const to = makeWallet(2).address;
const TOKENS = 5_000_000n;

interface Collecting {
  readonly wallets: readonly TestWallet[];
  readonly contract: string | null;
  readonly isFirst?: boolean;
}

/** The gas for each, intrinsic gas and authorizations included. */
async function gasOfEach(
  scene: Scene,
  { wallets, contract, isFirst = false }: Collecting,
): Promise<number> {
  const orders = wallets.map(({ address: from }) => ({ from, to, contract, amountRaw: TOKENS }));
  const authorizations = isFirst ? await authorizationsOf(scene, wallets) : [];
  const { gasUsed, outcomes } = await sendBatch(scene, { orders, authorizations });
  assert.ok(outcomes.every((one) => one.kind === "moved" && one.arrivedRaw === TOKENS));
  return Math.ceil(gasUsed / wallets.length);
}

Deno.test("collect 2: a token sweep takes at most 13,500 gas in a batch of 100, the first 31,500", async (t) => {
  await using scene = await startScene();
  const { anvil } = scene;
  const { address: contract, send } = await deploy(anvil, { name: "UsdtLike" });
  await send("mint", [to, 1n]);
  const all = makeWallets(100, 100);
  const measure = async (wallets: readonly TestWallet[], isFirst = false) => {
    for (const { address } of wallets) await send("mint", [address, TOKENS]);
    return await gasOfEach(scene, { wallets, contract, isFirst });
  };
  const first = await measure(all, true);
  const again = await measure(all);
  const often = await measure(all.slice(0, 10));
  const alone = await measure(all.slice(0, 1));
  await showFigure(
    t,
    `${first} gas the first time, ${again} again, ${often} in tens, ${alone} alone; ` +
      `${scene.deployGas} to deploy`,
  );
  assert.ok(first <= 31_500, `${first}`);
  assert.ok(again <= 13_500, `${again}`);
});

Deno.test("coins are collected as cheaply, and paid to a delegated address almost as to any", async (t) => {
  await using scene = await startScene();
  const { anvil } = scene;
  const [from] = anvil.accounts;
  const wallets = makeWallets(100, 100);
  await delegateAll(scene, wallets);
  await anvil.rpc("anvil_setBalance", [to, "0x1"]);
  const payments = [];
  for (const { address } of wallets) {
    const tx = { from, to: address, value: `0x${TOKENS.toString(16)}` };
    assert.equal(
      await anvil.rpc("eth_estimateGas", [tx]),
      (await anvil.rpc("eth_sendTransactionSync", [tx])).gasUsed,
    );
    payments.push(Number(await anvil.rpc("eth_estimateGas", [tx])));
  }
  const swept = await gasOfEach(scene, { wallets, contract: null });
  const paid = Math.max(...payments);
  const withData = Number(
    await anvil.rpc("eth_estimateGas", [{ from, to: wallets[0]!.address, data: "0x12345678" }]),
  );
  await showFigure(t, `${paid} gas to pay, ${withData} with four bytes, ${swept} to collect`);
  assert.ok(paid <= 21_070, `${paid}`);
  assert.ok(swept <= 13_000, `${swept}`);
});
