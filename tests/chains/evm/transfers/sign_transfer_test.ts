import assert from "node:assert/strict";
import { privateKeyToAccount } from "viem/accounts";
import { parseTransaction } from "viem/utils";
import { InvariantError } from "../../../../src/base/assert.ts";
import type { PreparedTransfer } from "../../../../src/chains/transfer.ts";
import type { Fee } from "../../../../src/chains/evm/transfers/fees.ts";
import { type EvmDetail, signedBytesMax } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { signTransfer } from "../../../../src/chains/evm/transfers/sign_transfer.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";

const wallet = makeWallet(1);
const account = privateKeyToAccount(`0x${"07".repeat(28)}00000001`);
const to = makeWallet(2).address;
const dynamic: Fee = { kind: "eip1559", maxFeeRaw: 30n * 10n ** 9n, tipRaw: 10n ** 9n };

function makePrepared(detail: Partial<EvmDetail> = {}): PreparedTransfer<EvmDetail> {
  return {
    request: { from: wallet.address, to, contract: null, amountRaw: 5n },
    nativeCostMaxRaw: 0n,
    feeAtMostRaw: 0n,
    charge: { gas: 25_200n, maxRaw: 2n ** 64n },
    detail: { chainId: 56, to, valueRaw: 5n, data: "0x", gas: 25_200n, fee: dynamic, ...detail },
  };
}

Deno.test("the signed bytes are those that viem's own account signs", async () => {
  const common = { chainId: 56, nonce: 300, gas: 25_200n, to: to as `0x${string}`, value: 5n };
  const eip1559 = await account.signTransaction({
    ...common,
    type: "eip1559",
    maxFeePerGas: 30n * 10n ** 9n,
    maxPriorityFeePerGas: 10n ** 9n,
  });
  const options = { nonce: 300, signer: wallet.signer };
  assert.equal((await signTransfer(makePrepared(), options)).raw, eip1559);
  const legacy = await account.signTransaction({ ...common, type: "legacy", gasPrice: 7n });
  const fee: Fee = { kind: "legacy", gasPriceRaw: 7n };
  assert.equal((await signTransfer(makePrepared({ fee }), options)).raw, legacy);
});

Deno.test("the bytes contain what was prepared, whatever nonce and signature are", async () => {
  for (let nonce = 0; nonce < 64; nonce++) {
    const valueRaw = 10n ** 18n + BigInt(nonce);
    const data = `0x${nonce.toString(16).padStart(2, "0")}`;
    const prepared = makePrepared({ valueRaw, data });
    const signed = await signTransfer(prepared, { nonce, signer: wallet.signer });
    const tx = parseTransaction(signed.raw as `0x02${string}`);
    assert.deepEqual(
      [tx.chainId, tx.nonce ?? 0, tx.gas, tx.to, tx.value, tx.data],
      [56, nonce, 25_200n, to.toLowerCase(), valueRaw, data],
    );
    assert.deepEqual([tx.maxFeePerGas, tx.maxPriorityFeePerGas], [30n * 10n ** 9n, 10n ** 9n]);
    assert.equal(signed.nonce, nonce);
  }
});

Deno.test("signed bytes never exceed the estimate, and are hardly shorter", async () => {
  for (const fee of [dynamic, { kind: "legacy", gasPriceRaw: 7n }] as const) {
    for (const nonce of [0, 255, 2 ** 16, 2 ** 32]) {
      const prepared = makePrepared({ fee });
      const { raw } = await signTransfer(prepared, { nonce, signer: wallet.signer });
      const spare = signedBytesMax(prepared.detail as EvmDetail) - (raw.length - 2) / 2;
      assert.ok(spare >= 0 && spare <= 7, `${spare} for nonce ${nonce}`);
    }
  }
});

Deno.test("another wallet's key isn't even asked to sign", async () => {
  const { publicKey } = makeWallet(9).signer;
  const signer = { publicKey, sign: () => assert.fail("it was asked") };
  await assert.rejects(signTransfer(makePrepared(), { nonce: 0, signer }), InvariantError);
});

Deno.test("a signature that isn't the sender's is not used", async () => {
  const { publicKey } = wallet.signer;
  const other = makeWallet(9).signer;
  const signer = { publicKey, sign: (digest: Uint8Array) => other.sign(digest) };
  await assert.rejects(signTransfer(makePrepared(), { nonce: 0, signer }), InvariantError);
});

Deno.test("a nonce is a whole number from 0 up", async () => {
  for (const nonce of [-1, 1.5, NaN, 2 ** 53]) {
    const options = { nonce, signer: wallet.signer };
    await assert.rejects(signTransfer(makePrepared(), options), InvariantError);
  }
});
