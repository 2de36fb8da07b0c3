import assert from "node:assert/strict";
import type { BalanceAsked, BlockAt } from "../../../src/chains/chain.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { connectEvm, evmRules } from "../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../support/nodes/contracts.ts";
import { makeWallet } from "../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { showOnly } from "../../support/nodes/lagging_node.ts";
import { setBalance, STRANGER } from "../../support/payers.ts";

const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";
const ADDRESSES = 2_500;

let anvil: Anvil;
let usdt: Contract;
let usdc: Contract;
let multicallCode: string;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  usdt = await deploy(anvil, { name: "UsdtLike" });
  usdc = await deploy(anvil, { name: "Token", args: ["USDC", 6] });
  const { address } = await deploy(anvil, { name: "Multicall3" });
  multicallCode = await anvil.rpc("eth_getCode", [address, "latest"]);
});
Deno.test.afterAll(() => anvil.stop());

async function lastBlock(): Promise<BlockAt> {
  const { number, hash } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  return { height: Number(number), hash };
}

async function setMulticall(code: string): Promise<BlockAt> {
  await anvil.rpc("anvil_setCode", [MULTICALL3, code]);
  await anvil.mine(1);
  return await lastBlock();
}

/** The balances, and the node methods that were called for them. */
async function ask(block: BlockAt, asked: readonly BalanceAsked[]) {
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const balances = await connectEvm({ rpcUrls: [proxy.url] }).balancesAt(block, asked);
  const calls = proxy.bodies.flat();
  const at = { blockHash: block.hash, requireCanonical: true };
  for (const call of calls) assert.deepEqual(call.params[1], at);
  return { balances, calls, bodies: proxy.bodies.length };
}

function report(
  what: string,
  { bodies, calls }: { bodies: number; calls: readonly unknown[] },
): void {
  // deno-lint-ignore no-console -- a number that the reader of a test run wants to see
  console.log(`      ${what}: ${bodies} requests with ${calls.length} calls`);
}

Deno.test("2,500 balances take three calls with Multicall3 and one each without, with equal results", async () => {
  const asked: BalanceAsked[] = Array.from({ length: ADDRESSES }, (_, i) => ({
    address: evmRules.canonicalAddress(`0x${(0xabc000 + i).toString(16).padStart(40, "0")}`),
    contract: [null, usdt.address, usdc.address][i % 3]!,
  }));
  const holders = [0, 1, 2, 999, 1000, 1001, 1999, 2000, 2498, 2499];
  const expected = asked.map(() => 0n);
  for (const i of holders) {
    const { address, contract } = asked[i]!;
    expected[i] = 2n ** 70n + BigInt(i);
    if (contract === null) await setBalance(anvil, address, expected[i]);
    else await (contract === usdt.address ? usdt : usdc).send("mint", [address, expected[i]]);
  }
  const bare = await setMulticall("0x");
  const oneByOne = await ask(bare, asked);
  const together = await ask(await setMulticall(multicallCode), asked);
  assert.deepEqual(oneByOne.balances, expected);
  assert.deepEqual(together.balances, expected);
  assert.equal(together.calls.length, 3);
  report(`${ADDRESSES} balances by Multicall3`, together);
  report(`${ADDRESSES} balances without it`, oneByOne);
  // Balances are those at that block, not the newest ones.
  assert.deepEqual((await ask(bare, asked.slice(0, 3))).balances, expected.slice(0, 3));
  assert.deepEqual((await ask(bare, [])).balances, []);
});

Deno.test("balances are those of the given block, not of the newest", async () => {
  const { address } = makeWallet(1);
  for (const code of [multicallCode, "0x"]) {
    await setMulticall(code);
    await setBalance(anvil, address, 5n);
    await anvil.mine(1);
    const block = await lastBlock();
    await sendTx(anvil, { to: address, valueRaw: 7n });
    await usdc.send("mint", [address, 9n]);
    const asked = [{ address, contract: null }, { address, contract: usdc.address }];
    const before = await ask(block, asked);
    const after = await ask(await lastBlock(), asked);
    assert.equal(before.balances[0], 5n);
    assert.equal(after.balances[0], 12n);
    assert.equal(after.balances[1]! - before.balances[1]!, 9n);
  }
});

Deno.test("a block that was reorganised away or doesn't exist yet is an error", () =>
  anvil.isolated(async () => {
    const { address } = makeWallet(1);
    const asked = [{ address, contract: null }];
    for (const code of [multicallCode, "0x"]) {
      const block = await setMulticall(code);
      await anvil.rpc("anvil_reorg", [1, []]);
      await assert.rejects(ask(block, asked), NodeError);
      await assert.rejects(ask({ ...block, hash: `0x${"12".repeat(32)}` }, asked), NodeError);
    }
  }));

Deno.test("a token that answers nothing or fails is an error that names it", async () => {
  const { address } = makeWallet(1);
  const rejector = await deploy(anvil, { name: "Rejector" });
  for (const code of [multicallCode, "0x"]) {
    const block = await setMulticall(code);
    for (const contract of [makeWallet(2).address, rejector.address]) {
      const asked = [{ address, contract: usdc.address }, { address, contract }];
      await assert.rejects(ask(block, asked), (error: unknown) => {
        assert.ok(error instanceof NodeError, String(error));
        assert.match(error.message, new RegExp(contract));
        return true;
      });
    }
  }
});

Deno.test("an answer that doesn't cover every balance is an error", async () => {
  const { address } = makeWallet(1);
  const block = await setMulticall(multicallCode);
  const one = await connectEvm({ rpcUrls: [anvil.url] });
  const asked = { address, contract: null };
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [proxy.url] });
  let whole = "";
  proxy.onCall = () => ({ edit: (reply) => (whole = String(reply.result), reply) });
  const balances = await chain.balancesAt(block, [asked, asked]);
  assert.deepEqual(balances, await one.balancesAt(block, [asked, asked]));
  const failed = whole.replace(/^(0x(?:.{64}){4})(.{64})/, `$1${"0".repeat(64)}`);
  assert.notEqual(failed, whole);
  for (const result of [whole, null, "0x12", whole.slice(0, -64), 5]) {
    proxy.onCall = () => ({ edit: (reply) => ({ ...reply, result }) });
    await assert.rejects(chain.balancesAt(block, [asked, asked, asked]), NodeError, String(result));
  }
  proxy.onCall = () => ({ edit: (reply) => ({ ...reply, result: failed }) });
  await assert.rejects(chain.balancesAt(block, [asked, asked]), NodeError);
});

Deno.test("a token that doesn't answer puts no node's newest block in doubt", async () => {
  await using anvil = await startAnvil();
  await using stuck = await startFaultProxy(anvil.url, () => "pass");
  await anvil.mine(20);
  await showOnly(stuck, { anvil, tip: 10 });
  const chain = connectEvm({ rpcUrls: [anvil.url, stuck.url] });
  const { height, hash } = await chain.tip();
  const none = { address: STRANGER, contract: STRANGER };
  await assert.rejects(chain.balancesAt({ height, hash }, [none]), /answers no balance|No balance/);
  for (let poll = 1; poll <= 3; poll++) assert.equal((await chain.tip()).height, 20);
});
