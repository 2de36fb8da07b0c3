import assert from "node:assert/strict";
import type { Chain, ReadBlock } from "../../../src/chains/chain.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { BAD_NODES, hasty } from "../../support/nodes/bad_nodes.ts";
import { type Contract, deploy, sendTx } from "../../support/nodes/contracts.ts";
import { fund, makeWallet, makeWatch, signed } from "../../support/nodes/evm_wallet.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";

const SAME_GENESIS = ["--timestamp", "1700000000", "--slots-in-an-epoch", "2"];
const deposit = makeWallet(1).address;
const payer = makeWallet(2);
let anvil: Anvil;
let fork: Anvil;
let other: Anvil;
let token: Contract;
let direct: Chain;
let expected: { code: string; chainId: string; genesisHash: string };

Deno.test.beforeAll(async () => {
  anvil = await startAnvil({ args: SAME_GENESIS });
  fork = await startAnvil({ args: SAME_GENESIS });
  other = await startAnvil({ args: ["--chain-id", "56"] });
  token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  await fund(anvil, payer.address);
  await sendTx(fork, { to: deposit, valueRaw: 1000n });
  await fork.mine(60);
  await token.send("mint", [deposit, 9n]);
  await sendTx(anvil, { to: deposit, valueRaw: 4n });
  await anvil.mine(20);
  direct = connectEvm({ rpcUrls: [anvil.url] });
  expected = { code: "ETH", ...await direct.identity() };
  assert.deepEqual(await connectEvm({ rpcUrls: [fork.url] }).identity(), await direct.identity());
});
Deno.test.afterAll(async () => {
  await Promise.all([anvil.stop(), fork.stop(), other.stop()]);
});

function amountsIn(blocks: readonly ReadBlock[]): bigint[] {
  return blocks.flatMap((block) => block.transfers.map((it) => it.amountRaw));
}

for (const [what, startBad] of Object.entries(BAD_NODES)) {
  for (const quorum of [1, 2]) {
    Deno.test(`one ${what} of three endpoints changes no answer, with quorum ${quorum} (hazards 7, 8, 9, 50, 51, 52)`, async () => {
      await using bad = await startBad({ anvil, fork, other });
      await using good = await startFaultProxy(anvil.url, () => "pass");
      await using better = await startFaultProxy(anvil.url, () => "pass");
      const rpcUrls = [bad.url, good.url, better.url];
      const waiting = what === "silent" ? { waiting: hasty } : {};
      const chain = connectEvm({ rpcUrls, quorum, expected, ...waiting });
      const tip = await direct.tip();
      const range = { from: 1, to: tip.height };
      const watch = makeWatch([deposit], [token.address]);
      for (let round = 0; round < 3; round++) {
        assert.deepEqual(await chain.tip(), tip);
        const blocks = await chain.readBlocks(range, watch);
        assert.deepEqual(blocks, await direct.readBlocks(range, watch));
        assert.deepEqual(amountsIn(blocks), [9n, 4n]);
        assert.ok(await chain.witnesses(tip) >= 2);
        assert.deepEqual(await chain.refAt(3), await direct.refAt(3));
        const { nonce } = await direct.walletState(payer.address, []);
        assert.equal((await chain.walletState(payer.address, [])).nonce, nonce);
      }
      const { nonce } = await direct.walletState(payer.address, []);
      // To an address nobody watches: the slowest endpoint may send it after everything is undone.
      const to = makeWallet(3).address;
      const payment = { wallet: payer, nonce, to, contract: null, amountRaw: 1n };
      await anvil.isolated(async () => {
        const { raw, txHash } = await signed(chain, payment);
        assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
        // The node answers before it has mined.
        await anvil.mine(1);
        await chain.tip();
        const sent = { txHash, sender: payer.address, nonce };
        // An endpoint that looked just before it was mined may have been asked.
        const outcome = await eventually(() => chain.outcome(sent, { depth: 1 }), {
          until: ({ kind }) => kind !== "unseen",
        });
        assert.deepEqual(outcome, await direct.outcome(sent, { depth: 1 }));
        assert.equal(outcome.kind, "included");
      });
    });
  }
}
