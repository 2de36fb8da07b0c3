import assert from "node:assert/strict";
import { playOnTron, TOKEN } from "../../support/grounds/scenario.ts";
import type { Reply } from "../../support/nodes/anvil.ts";
import { sentId } from "../../support/payouts.ts";
import { TRC20_ABI, tronWallet } from "../../support/nodes/tron_web.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";

const TRX = 1_000_000n;
/** The energy of one payment to a holder of the token, with a fifth on top. */
const ENERGY_OF_ONE = 80_000n;
const PAYMENTS = 10;

Deno.test("energy staked for one payment counts once: of ten at a time none burns coins and fails", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { hotWallet } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant({ token, amount: "1000" });
    await ground.mine(ground.minConfirmations);
    await token.mint(makeTronWallet(700).address, 1n);
    node.setResources(hotWallet, { energy: ENERGY_OF_ONE, net: 100_000n });
    node.setBalance(hotWallet, 5n * TRX);
    node.auto("off");
    const to = makeTronWallet(700).address;
    const replies = await Promise.all(
      Array.from({ length: PAYMENTS }, () => scene.withdraw({ amount: "5", currency: TOKEN, to })),
    );
    const ends = node.produce().transactions.map(({ ret }) => ret!.contractRet);
    assert.deepEqual(ends, ["SUCCESS"]);
    assert.equal(node.balanceOf(hotWallet), 5n * TRX, "Nothing is burned");
    const statuses = replies.map(({ status }) => status).toSorted();
    assert.deepEqual(statuses, [200, ...Array(PAYMENTS - 1).fill(502)]);
    await scene.turn(2);
    const { held } = await scene.balanceOf(TOKEN);
    assert.equal(held, "0");
  }));

Deno.test("a wallet with a stake for all of them, or coins for the rest, pays ten at a time", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { hotWallet } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant({ token, amount: "1000" });
    await ground.mine(ground.minConfirmations);
    const to = makeTronWallet(700).address;
    await token.mint(to, 1n);
    const payments = () =>
      Promise.all(
        Array.from(
          { length: PAYMENTS },
          () => scene.withdraw({ amount: "5", currency: TOKEN, to }),
        ),
      );
    node.setResources(hotWallet, { energy: 10n * ENERGY_OF_ONE, net: 100_000n });
    node.setBalance(hotWallet, 0n);
    node.auto("off");
    for (const { status } of await payments()) assert.equal(status, 200);
    assert.equal(node.produce().transactions.length, PAYMENTS);
    await scene.turn(2);
    node.setResources(hotWallet, { energy: 0n, net: 100_000n });
    node.setBalance(hotWallet, 100n * TRX);
    for (const { status } of await payments()) assert.equal(status, 200);
    const ends = node.produce().transactions.map(({ ret }) => ret!.contractRet);
    assert.deepEqual(ends, Array(PAYMENTS).fill("SUCCESS"));
  }));

Deno.test("a TRON recipient that empties its balance before it is paid is paid all the same", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant({ token, amount: "1000" });
    const recipient = tronWallet(node, "recipient");
    node.fund(recipient.address, 100n * TRX);
    await token.mint(recipient.address, 1n);
    await ground.mine(ground.minConfirmations);
    node.auto("off");
    const order = { amount: "5", currency: TOKEN, to: recipient.address };
    const id = sentId(await scene.withdraw(order));
    node.restart();
    const contract: Reply = await recipient.web.contract(TRC20_ABI, token.address);
    await contract.methods.transfer(node.bank, 1).send();
    node.produce();
    assert.equal(await token.balanceOf(recipient.address), 0n);
    node.auto("broadcast");
    scene.wait(60_000);
    await scene.turn(3);
    assert.equal(await scene.statusOf(id), "confirmed");
  }));
