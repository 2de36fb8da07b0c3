import assert from "node:assert/strict";
import type { Chain, Transfer } from "../../../../src/chains/chain.ts";
import { NodeError } from "../../../../src/chains/faults.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../../support/nodes/contracts.ts";
import { fund, makeWallet, makeWatch, signed } from "../../../support/nodes/evm_wallet.ts";

let anvil: Anvil;
let chain: Chain;
let token: Contract;
const [alice, bob] = [makeWallet(1), makeWallet(2)];
const deposit = makeWallet(3).address;
const stranger = makeWallet(4).address;

Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  chain = connectEvm({ rpcUrls: [anvil.url] });
  token = await deploy(anvil, { name: "Token", args: ["USDX", 6] });
  for (const { address } of [alice, bob]) {
    await fund(anvil, address);
    await token.send("mint", [address, 100n]);
  }
  await anvil.mine(3);
});
Deno.test.afterAll(() => anvil.stop());

async function mineRaw(raw: string): Promise<number> {
  const { blockNumber } = await anvil.rpc("eth_sendRawTransactionSync", [raw]);
  return Number(blockNumber);
}

async function transfersAt(height: number): Promise<readonly Transfer[]> {
  const [block] = await chain.readBlocks(
    { from: height, to: height },
    makeWatch([deposit], [token.address]),
  );
  return block!.transfers;
}

const coins = { wallet: alice, to: deposit, contract: null, amountRaw: 5n, nonce: 0 };

Deno.test("a reorg removes a payment from its block (hazard 1)", () =>
  anvil.isolated(async () => {
    const height = await mineRaw((await signed(chain, coins)).raw);
    await anvil.mine(4);
    const before = await chain.refAt(height);
    assert.equal((await transfersAt(height)).length, 1);
    await anvil.rpc("anvil_reorg", [5, []]);
    const after = await chain.refAt(height);
    assert.notEqual(after!.hash, before!.hash);
    assert.equal(after!.parentHash, before!.parentHash);
    assert.deepEqual(await transfersAt(height), []);
  }));

Deno.test("a reorg at the same height shows in the tip's hash (hazard 2)", () =>
  anvil.isolated(async () => {
    await anvil.mine(5);
    const before = await chain.tip();
    const below = await chain.refAt(before.height - 2);
    await anvil.rpc("anvil_reorg", [2, []]);
    const after = await chain.tip();
    assert.equal(after.height, before.height);
    assert.notEqual(after.hash, before.hash);
    assert.deepEqual(await chain.refAt(before.height - 2), below);
  }));

Deno.test("a payment keeps its hash and position in another block (hazard 3)", () =>
  anvil.isolated(async () => {
    const { raw } = await signed(chain, coins);
    const height = await mineRaw(raw);
    await anvil.mine(4);
    const [before] = await transfersAt(height);
    await anvil.rpc("anvil_reorg", [5, [[raw, 2]]]);
    assert.deepEqual(await transfersAt(height), []);
    assert.deepEqual(await transfersAt(height + 2), [before]);
  }));

Deno.test("the position stays when the log's index in the block changes (hazard 4)", () =>
  anvil.isolated(async () => {
    const payment = { to: deposit, contract: token.address, amountRaw: 5n, nonce: 0 };
    const a = await signed(chain, { ...payment, wallet: alice });
    const b = await signed(chain, { ...payment, wallet: bob });
    const height = await mineRaw(a.raw);
    await mineRaw(b.raw);
    const indexOf = async () => {
      const { logs } = await anvil.rpc("eth_getTransactionReceipt", [a.txHash]);
      return Number(logs[0].logIndex);
    };
    const before = [await indexOf(), await transfersAt(height)];
    await anvil.rpc("anvil_reorg", [2, [[b.raw, 1], [a.raw, 1]]]);
    const moved = (await transfersAt(height + 1)).filter((it) => it.txHash === a.txHash);
    assert.deepEqual(moved, before[1]);
    assert.deepEqual([before[0], await indexOf()], [0, 1]);
  }));

Deno.test("a payment is replaced if a reorg mined another one with its nonce (hazard 5)", () =>
  anvil.isolated(async () => {
    const paid = await signed(chain, coins);
    const instead = await signed(chain, { ...coins, to: stranger });
    const height = await mineRaw(paid.raw);
    await anvil.mine(2);
    const [transfer] = await transfersAt(height);
    assert.deepEqual([transfer!.sender, transfer!.senderNonce], [alice.address, 0]);
    await anvil.rpc("anvil_reorg", [3, [[instead.raw, 0]]]);
    assert.deepEqual(await transfersAt(height), []);
    const sent = { txHash: paid.txHash, sender: alice.address, nonce: 0 };
    assert.deepEqual(await chain.outcome(sent, { depth: 3 }), { kind: "replaced", height });
    assert.deepEqual(await chain.outcome(sent, { depth: 4 }), { kind: "unseen" });
    assert.equal((await chain.broadcast(paid.raw)).kind, "unknown");
  }));

Deno.test("a tip that moves back is returned as it is, and blocks above it are an error (hazard 7)", () =>
  anvil.isolated(async () => {
    await anvil.mine(5);
    const { height } = await chain.tip();
    await anvil.rpc("anvil_rollback", [3]);
    assert.equal((await chain.tip()).height, height - 3);
    assert.equal(await chain.refAt(height), undefined);
    await assert.rejects(transfersAt(height), NodeError);
  }));
