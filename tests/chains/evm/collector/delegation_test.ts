import assert from "node:assert/strict";
import { toHex } from "viem/utils";
import { InvariantError } from "../../../../src/base/assert.ts";
import { readDelegate } from "../../../../src/chains/evm/collector/delegation.ts";
import {
  collectorAddress,
  collectorCode,
  delegationTo,
  initCode,
} from "../../../../src/chains/evm/collector/deployment.ts";
import type { SignedAuthorization } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { deploy } from "../../../support/nodes/contracts.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";
import {
  authorizationsOf,
  authorizeCollector,
  authorizeNobody,
  CHAIN_ID,
  codeOf,
  delegateAll,
  makeWallets,
  nonceOf,
  sendBatch,
  signAny,
  startScene,
  tokensOf,
} from "./scene.ts";

const to = makeWallet(2).address;

Deno.test("a delegation counts once: replayed, stale, early or for another chain it does nothing", async () => {
  await using scene = await startScene();
  const { anvil, address, collector } = scene;
  const [wallet] = makeWallets(1, 100);
  const { signer } = wallet!;
  const token = await deploy(anvil, { name: "UsdtLike" });
  await token.send("mint", [wallet!.address, 7n]);
  const orders = [{ from: wallet!.address, to, contract: token.address, amountRaw: 1n }];
  const send = async (...authorizations: SignedAuthorization[]) => {
    const { outcomes: [outcome] } = await sendBatch(scene, { orders, authorizations });
    const code = readDelegate(await codeOf(anvil, wallet!.address));
    const delegate = code.kind === "delegated" ? code.to : code.kind;
    return [outcome!.kind, delegate, await nonceOf(anvil, wallet!.address)];
  };
  const first = await authorizeCollector({ collector, signer, nonce: 0 });
  // In one transaction the last one that counts wins, and each needs the nonce that the one before left.
  assert.deepEqual(await send(await signAny(wallet!, { chainId: 1, address, nonce: 0 })), [
    ...["failed", "none", 0],
  ]);
  const early = await authorizeCollector({ collector, signer, nonce: 1 });
  assert.deepEqual(await send(early), ["failed", "none", 0]);
  assert.deepEqual(await send(first), ["moved", address, 1]);
  assert.deepEqual(await send(first), ["moved", address, 1]);
  // Another contract instead, then nothing, then ours again.
  const other = (await deploy(anvil, { name: "Attacker" })).address;
  assert.deepEqual(await send(await signAny(wallet!, { address: other, nonce: 1 })), [
    ...["failed", other, 2],
  ]);
  assert.deepEqual(await send(first, early), ["failed", other, 2]);
  assert.deepEqual(await send(await authorizeNobody({ collector, signer, nonce: 2 })), [
    ...["failed", "none", 3],
  ]);
  assert.equal(await codeOf(anvil, wallet!.address), "0x");
  assert.deepEqual(await send(first, early), ["failed", "none", 3]);
  const again = await authorizeCollector({ collector, signer, nonce: 3 });
  assert.deepEqual(await send(again), ["moved", address, 4]);
  // One by one works as ever, and its nonce counts on.
  await anvil.rpc("anvil_setBalance", [wallet!.address, "0xde0b6b3a7640000"]);
  await anvil.rpc("anvil_impersonateAccount", [wallet!.address]);
  await token.send("transfer", [to, 1n], { from: wallet!.address });
  assert.equal(await nonceOf(anvil, wallet!.address), 5);
  assert.equal(await tokensOf(token, wallet!), 3n);
});

Deno.test("an authorization that a stranger sends first delegates all the same, and harms nothing", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const wallets = makeWallets(2, 100);
  const token = await deploy(anvil, { name: "UsdtLike" });
  for (const { address } of wallets) await token.send("mint", [address, 7n]);
  const authorizations = await authorizationsOf(scene, wallets);
  const [stolen] = authorizations;
  const entry = Object.fromEntries(
    Object.entries(stolen!).map(([name, value]) => [
      name,
      typeof value === "number" ? toHex(value) : value,
    ]),
  );
  const tx = { from: anvil.accounts[0], to: anvil.accounts[0], gas: toHex(200_000), type: "0x4" };
  await anvil.rpc("eth_sendTransactionSync", [{ ...tx, authorizationList: [entry] }]);
  assert.equal(
    await codeOf(anvil, wallets[0]!.address),
    delegationTo(scene.address),
  );
  const orders = wallets.map(({ address: from }) => ({
    ...{ from, to, contract: token.address, amountRaw: 7n },
  }));
  const { outcomes } = await sendBatch(scene, { orders, authorizations });
  assert.deepEqual(outcomes.map(({ kind }) => kind), ["moved", "moved"]);
});

Deno.test("a second collector obeys its own wallet only, also where both have delegations", async () => {
  await using scene = await startScene();
  const { anvil } = scene;
  const [old, moved] = makeWallets(2, 100);
  const token = await deploy(anvil, { name: "UsdtLike" });
  for (const { address } of [old!, moved!]) await token.send("mint", [address, 7n]);
  await delegateAll(scene, [old!, moved!]);
  const gasWallet = makeWallet(3);
  await anvil.rpc("anvil_setBalance", [gasWallet.address, "0xde0b6b3a7640000"]);
  await anvil.rpc("anvil_impersonateAccount", [gasWallet.address]);
  const collector = { chainId: CHAIN_ID, owner: gasWallet.address, nonce: 0 };
  const tx = { from: gasWallet.address, data: initCode(gasWallet.address) };
  await anvil.rpc("eth_sendTransactionSync", [tx]);
  const address = collectorAddress(collector);
  assert.equal(await codeOf(anvil, address), collectorCode(collector));
  const next = { ...scene, gasWallet, collector, address };
  const orders = [old!, moved!].map(({ address: from }) => ({
    ...{ from, to, contract: token.address, amountRaw: 1n },
  }));
  const kinds = async (world: typeof scene, authorizations: SignedAuthorization[] = []) =>
    (await sendBatch(world, { orders, authorizations })).outcomes.map(({ kind }) => kind);
  assert.deepEqual(await kinds(next), ["failed", "failed"]);
  assert.deepEqual(await kinds(next, await authorizationsOf(next, [moved!])), ["failed", "moved"]);
  assert.deepEqual(await kinds(scene), ["moved", "failed"]);
  await assert.rejects(async () => {
    const call = { from: gasWallet.address, to: scene.address, data: "0x" };
    await anvil.rpc("eth_call", [call, "latest"]);
  });
});

Deno.test("a signature names one chain, and the collector that follows from its deployment", async () => {
  const { signer } = makeWallet(100);
  const collector = { chainId: 1, owner: makeWallet(1).address, nonce: 5 };
  const { address, chainId } = await authorizeCollector({ collector, signer, nonce: 0 });
  assert.deepEqual([address, chainId], [collectorAddress(collector), 1]);
  for (const chainId of [0, -1, 1.5, NaN, 2 ** 53]) {
    const order = { collector: { ...collector, chainId }, signer, nonce: 0 };
    await assert.rejects(authorizeCollector(order), InvariantError);
    await assert.rejects(authorizeNobody(order), InvariantError);
  }
  for (const nonce of [-1, 1.5, NaN, 2 ** 53]) {
    await assert.rejects(authorizeCollector({ collector, signer, nonce }), InvariantError);
    const misplaced = { ...collector, nonce };
    const order = { collector: misplaced, signer, nonce: 0 };
    await assert.rejects(authorizeCollector(order), InvariantError);
  }
  const wrong = { publicKey: signer.publicKey, sign: makeWallet(101).signer.sign };
  await assert.rejects(authorizeCollector({ collector, signer: wrong, nonce: 0 }), InvariantError);
});

Deno.test("an address's code says whether it delegates, to whom, or is a contract", () => {
  const collector = makeWallet(1).address;
  assert.deepEqual(readDelegate("0x"), { kind: "none" });
  assert.deepEqual(readDelegate(delegationTo(collector)), { kind: "delegated", to: collector });
  for (const code of ["0xef0100", `${delegationTo(collector)}00`, "0x60006000", "0xef01"]) {
    assert.deepEqual(readDelegate(code), { kind: "contract" });
  }
  for (const code of [undefined, null, "", "0x1", "ef0100"]) {
    assert.throws(() => readDelegate(code), { name: "NodeError" });
  }
});
