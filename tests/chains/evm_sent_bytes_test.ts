import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { keccak256 } from "viem/utils";
import { connectEvm } from "../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { deploy } from "../support/contracts.ts";
import { fund, makeWallet, signed } from "../support/evm_wallet.ts";
import { startFaultProxy } from "../support/fault_proxy.ts";

const CHAIN_ID = 31337;
const wallet = makeWallet(1);
const account = privateKeyToAccount(`0x${"07".repeat(28)}00000001`);
const to = makeWallet(2).address;

async function send(anvil: Anvil, raw: string): Promise<string> {
  return await anvil.rpc("eth_sendRawTransaction", [raw]);
}

Deno.test("signed coins and tokens are told by a node as they were signed", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await token.send("mint", [wallet.address, 9n]);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  for (const [nonce, contract] of [null, token.address].entries()) {
    const made = await signed(chain, { wallet, nonce, to, contract, amountRaw: 7n });
    await send(anvil, made.raw);
    assert.deepEqual(await chain.sentBytes(made.txHash), {
      ...made,
      sender: wallet.address,
      payment: { to, contract, amountRaw: 7n },
    });
  }
  const legacy = await account.signTransaction({
    ...{ chainId: CHAIN_ID, nonce: 2, gas: 21_000n, to: to as `0x${string}`, value: 5n },
    ...{ type: "legacy", gasPrice: 2n * 10n ** 9n },
  });
  const { raw, payment } = await chain.sentBytes(await send(anvil, legacy));
  assert.deepEqual([raw, payment], [legacy, { to, contract: null, amountRaw: 5n }]);
});

Deno.test("what this program does not sign is told as no payment: access lists, new contracts, other calls", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const price = { maxFeePerGas: 3n * 10n ** 9n, maxPriorityFeePerGas: 1n };
  const common = { chainId: CHAIN_ID, gas: 100_000n, ...price, type: "eip1559" } as const;
  const payee = to as `0x${string}`;
  const raws = await Promise.all([
    account.signTransaction({
      ...{ ...common, nonce: 0, to: payee, value: 1n },
      accessList: [{ address: payee, storageKeys: [] }],
    }),
    account.signTransaction({ ...common, nonce: 1, data: "0x00" }),
    account.signTransaction({ ...common, nonce: 2, to: payee, data: "0x12345678" }),
  ]);
  const told = [];
  for (const raw of raws) told.push(await chain.sentBytes(await send(anvil, raw)));
  assert.deepEqual(told.map(({ payment }) => payment), [null, null, null]);
  assert.deepEqual(told.map(({ raw }) => raw), ["", "", raws[2]]);
});

Deno.test("a node that tells another recipient, amount, sender or nonce of a hash is not believed, and the next one is asked", async () => {
  await using anvil = await startAnvil();
  await fund(anvil, wallet.address);
  const honest = connectEvm({ rpcUrls: [anvil.url] });
  const made = await signed(honest, { wallet, nonce: 0, to, contract: null, amountRaw: 7n });
  await send(anvil, made.raw);
  const right = await honest.sentBytes(made.txHash);
  for (
    const lie of [
      { to: wallet.address },
      { value: "0x8" },
      { from: to },
      { nonce: "0x1" },
      { s: `0x${"11".repeat(32)}` },
    ]
  ) {
    await using liar = await startFaultProxy(
      anvil.url,
      (method) =>
        method === "eth_getTransactionByHash"
          ? { edit: (answer) => ({ ...answer, result: { ...answer.result as object, ...lie } }) }
          : "pass",
    );
    const told = connectEvm({ rpcUrls: [liar.url] }).sentBytes(made.txHash);
    await assert.rejects(told, /does not have that hash/, JSON.stringify(lie));
    const both = connectEvm({ rpcUrls: [liar.url, anvil.url] });
    assert.deepEqual(await both.sentBytes(made.txHash), right);
  }
  await assert.rejects(honest.sentBytes(keccak256("0x12")), /does not know/);
});
