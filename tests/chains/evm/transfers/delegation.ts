import assert from "node:assert/strict";
import type { Hex } from "viem";
import { hashAuthorization } from "viem/utils";
import { fromHex } from "../../../../src/base/bytes.ts";
import type { Anvil } from "../../../support/nodes/anvil.ts";
import type { TestWallet } from "../../../support/nodes/evm_wallet.ts";

/** The wallet signs that the contract's code is its own (EIP-7702); somebody else pays for it. */
export async function delegate(
  anvil: Anvil,
  { wallet, to }: { wallet: TestWallet; to: string },
): Promise<void> {
  const nonce = Number(await anvil.rpc("eth_getTransactionCount", [wallet.address, "latest"]));
  const digest = hashAuthorization({ chainId: 31337, address: to as Hex, nonce });
  const { r, s, recovery } = await wallet.signer.sign(fromHex(digest.slice(2))!);
  const authorization = {
    chainId: hexOf(31337),
    address: to,
    nonce: hexOf(nonce),
    yParity: hexOf(recovery),
    r: hexOf(r),
    s: hexOf(s),
  };
  const [from] = anvil.accounts;
  const tx = { from, to: wallet.address, type: "0x4", authorizationList: [authorization] };
  await anvil.rpc("eth_sendTransactionSync", [{ ...tx, gas: hexOf(200_000) }]);
  const code = await anvil.rpc("eth_getCode", [wallet.address, "latest"]);
  assert.equal(code, `0xef0100${to.slice(2).toLowerCase()}`);
}

function hexOf(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}
