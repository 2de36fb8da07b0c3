import assert from "node:assert/strict";
import type { SignedAuthorizationList } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { parseTransaction, recoverAuthorizationAddress } from "viem/utils";
import { InvariantError } from "../../../../src/base/assert.ts";
import { batchCall } from "../../../../src/chains/evm/collector/batch.ts";
import { collectorAddress, initCode } from "../../../../src/chains/evm/collector/deployment.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import type { Fee } from "../../../../src/chains/evm/transfers/fees.ts";
import { signDetail } from "../../../../src/chains/evm/transfers/sign_transfer.ts";
import {
  signedBytesMax,
  type UnsignedDetail,
} from "../../../../src/chains/evm/transfers/unsigned.ts";
import { askNode, type Reply } from "../../../support/nodes/anvil.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";
import { startFaultProxy } from "../../../support/nodes/fault_proxy.ts";
import {
  authorizationsOf,
  authorizeCollector,
  authorizeNobody,
  CHAIN_ID,
  makeWallets,
  sendBatch,
  signFrom,
  startScene,
} from "./scene.ts";

const gasWallet = makeWallet(1);
const account = privateKeyToAccount(`0x${"07".repeat(28)}00000001`);
const collector = { chainId: CHAIN_ID, owner: gasWallet.address, nonce: 0 };
const to = collectorAddress(collector);
const fee: Fee = { kind: "eip1559", maxFeeRaw: 30n * 10n ** 9n, tipRaw: 10n ** 9n };
const orders = makeWallets(3, 100).map(({ address: from }, i) => ({
  ...{ from, to: makeWallet(2).address, amountRaw: BigInt(i + 1) },
  contract: i === 0 ? null : makeWallet(4).address,
}));
const data = batchCall({ orders, gasEach: 150_000n, atLeast: 1 });
const detail: UnsignedDetail = { chainId: CHAIN_ID, to, valueRaw: 0n, data, gas: 300_000n, fee };

async function signed(detail: UnsignedDetail, nonce = 3) {
  const { signer, address: from } = gasWallet;
  return await signDetail({ from, detail, costMaxRaw: 2n ** 64n }, { nonce, signer });
}

async function someAuthorizations() {
  const [first, second] = makeWallets(2, 100);
  return [
    await authorizeCollector({ collector, signer: first!.signer, nonce: 0 }),
    await authorizeNobody({ collector, signer: second!.signer, nonce: 7 }),
  ];
}

Deno.test("a batch and a deployment are signed as viem's own account signs them", async () => {
  const authorizations = await someAuthorizations();
  const common = {
    ...{ chainId: CHAIN_ID, nonce: 3, gas: 300_000n, value: 0n },
    ...{ maxFeePerGas: fee.maxFeeRaw, maxPriorityFeePerGas: fee.tipRaw },
  };
  const call = { ...common, to: to as `0x${string}`, data };
  assert.equal(
    (await signed({ ...detail, authorizations })).raw,
    await account.signTransaction({
      ...{ ...call, type: "eip7702", authorizationList: authorizations as SignedAuthorizationList },
    }),
  );
  assert.equal(
    (await signed(detail)).raw,
    await account.signTransaction({
      ...{ ...call, type: "eip1559" },
    }),
  );
  const code = initCode(gasWallet.address);
  assert.equal(
    (await signed({ ...detail, to: null, data: code })).raw,
    await account.signTransaction({ ...common, type: "eip1559", data: code }),
  );
  const { authorizationList } = parseTransaction(
    (await signed({ ...detail, authorizations })).raw as `0x04${string}`,
  );
  for (const [i, authorization] of authorizationList!.entries()) {
    assert.equal(
      await recoverAuthorizationAddress({
        authorization: { ...authorizations[i]!, ...authorization },
      }),
      makeWallet(100 + i).address,
    );
  }
});

Deno.test("authorizations go with a call, on their chain, and not at a plain gas price", async () => {
  const authorizations = await someAuthorizations();
  const elsewhere = authorizations.map((one) => ({ ...one, chainId: CHAIN_ID + 1 }));
  const details: readonly UnsignedDetail[] = [
    { ...detail, authorizations: elsewhere },
    { ...detail, to: null, authorizations },
    { ...detail, fee: { kind: "legacy", gasPriceRaw: 7n }, authorizations },
  ];
  for (const one of details) await assert.rejects(signed(one), InvariantError);
});

Deno.test("a signed batch never exceeds the estimate of its bytes, and is hardly shorter", async () => {
  for (const authorizations of [[], await someAuthorizations()]) {
    for (const nonce of [0, 2 ** 32]) {
      const { raw } = await signed({ ...detail, authorizations }, nonce);
      const spare = signedBytesMax({ ...detail, authorizations }) - (raw.length - 2) / 2;
      assert.ok(spare >= 0 && spare <= 7, `${spare} for nonce ${nonce}`);
    }
  }
});

Deno.test("a sent batch is read from a node as it was signed, with its authorizations", async () => {
  await using scene = await startScene();
  const { anvil, address } = scene;
  const wallets = makeWallets(2, 100);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const release = await authorizeNobody({ collector, signer: wallets[1]!.signer, nonce: 1 });
  const authorizations = [...await authorizationsOf(scene, wallets), release];
  for (const [nonce, list] of [authorizations, []].entries()) {
    const { txHash, raw } = await sendBatch(scene, { orders, authorizations: list });
    assert.deepEqual(await chain.sentBytes(txHash), {
      ...{ txHash, raw, sender: gasWallet.address, nonce: 1 + nonce, payment: null },
      batch: {
        collector: address,
        orders,
        authorizations: list.length === 0 ? [] : [
          { address: wallets[0]!.address, nonce: 0, delegate: address },
          { address: wallets[1]!.address, nonce: 0, delegate: address },
          { address: wallets[1]!.address, nonce: 1, delegate: null },
        ],
      },
    });
  }
});

Deno.test("a deployment is read from a node with the collector's address", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const codes = [initCode(gasWallet.address), initCode(makeWallet(2).address)];
  const sent = [];
  for (const [i, code] of codes.entries()) {
    const { raw } = await signFrom(scene, { to: null, data: code, nonce: 1 + i });
    const { transactionHash } = await anvil.rpc("eth_sendRawTransactionSync", [raw]);
    const { deploys, raw: read, batch, payment } = await chain.sentBytes(transactionHash);
    sent.push([deploys, read === raw, batch, payment]);
  }
  const deploys = collectorAddress({ ...collector, nonce: 1 });
  // Somebody else's is no contract of this wallet.
  assert.deepEqual(sent, [[deploys, true, undefined, null], [undefined, false, undefined, null]]);
});

Deno.test("what is no batch of ours, in whatever detail, is read without one", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  const [first, second] = await someAuthorizations();
  const elsewhere = await account.signAuthorization({
    ...{ chainId: CHAIN_ID, contractAddress: makeWallet(9).address as `0x${string}`, nonce: 9 },
  });
  const anywhere = await account.signAuthorization({
    ...{ chainId: 0, contractAddress: to as `0x${string}`, nonce: 9 },
  });
  const call = {
    ...{ chainId: CHAIN_ID, gas: 1_000_000n, to: to as `0x${string}`, data },
    ...{ maxFeePerGas: fee.maxFeeRaw, maxPriorityFeePerGas: 1n, type: "eip7702" as const },
  };
  const lists = [[elsewhere], [anywhere], [first!, elsewhere], [first!, second!]];
  const raws = [];
  for (const [i, list] of lists.entries()) {
    const authorizationList = list as SignedAuthorizationList;
    raws.push(await account.signTransaction({ ...call, nonce: 1 + i, authorizationList }));
  }
  const accessList = [{ address: call.to, storageKeys: [] }];
  const authorizationList = [first!] as SignedAuthorizationList;
  raws.push(
    await account.signTransaction({ ...call, nonce: 5, authorizationList, accessList }),
    await account.signTransaction({ ...call, nonce: 6, authorizationList, data: `${data}00` }),
    await account.signTransaction({ ...call, nonce: 7, authorizationList, value: 1n }),
  );
  const read = [];
  for (const raw of raws) {
    const { transactionHash } = await anvil.rpc("eth_sendRawTransactionSync", [raw]);
    const { batch, raw: known } = await chain.sentBytes(transactionHash);
    read.push([batch?.authorizations.length, known === raw]);
  }
  const no = [undefined, false];
  assert.deepEqual(read, [no, no, no, [2, true], no, no, no]);
});

Deno.test("a node that changes anything in a batch or its authorizations isn't believed", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const authorizations = await authorizationsOf(scene, makeWallets(2, 100));
  const { txHash } = await sendBatch(scene, { orders, authorizations });
  const tx: Reply = await askNode(anvil.url, {
    ...{ method: "eth_getTransactionByHash", params: [txHash] },
  });
  const [first, second] = tx.authorizationList;
  const lists = [
    [],
    [first],
    [second, first],
    [first, first],
    [first, { ...second, nonce: "0x1" }],
    [first, { ...second, chainId: "0x0" }],
    [first, { ...second, address: makeWallet(9).address }],
    [first, { ...second, yParity: second.yParity === "0x0" ? "0x1" : "0x0" }],
    [first, { ...second, r: first.r }],
  ];
  const lies = [
    ...lists.map((authorizationList) => ({ authorizationList })),
    { input: tx.input.replace(/.$/, "7") },
    { type: "0x2" },
    { authorizationList: undefined },
  ];
  for (const lie of lies) {
    await using liar = await startFaultProxy(
      anvil.url,
      (method) =>
        method === "eth_getTransactionByHash"
          ? { edit: (answer) => ({ ...answer, result: { ...tx, ...lie } }) }
          : "pass",
    );
    const asked = connectEvm({ rpcUrls: [liar.url] }).sentBytes(txHash);
    await assert.rejects(asked, { name: "NodeError" }, JSON.stringify(lie));
  }
});
