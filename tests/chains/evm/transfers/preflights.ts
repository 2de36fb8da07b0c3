import assert from "node:assert/strict";
import { InvariantError } from "../../../../src/base/assert.ts";
import type { Chain } from "../../../../src/chains/chain.ts";
import type {
  Preflight,
  PreparedTransfer,
  TransferRefused,
} from "../../../../src/chains/transfer.ts";
import type { EvmDetail } from "../../../../src/chains/evm/transfers/unsigned.ts";
import type { Anvil } from "../../../support/nodes/anvil.ts";
import type { TestWallet } from "../../../support/nodes/evm_wallet.ts";

interface EvmPrepared extends PreparedTransfer {
  readonly detail: EvmDetail;
}

export function ready(preflight: Preflight): EvmPrepared {
  if (preflight.kind === "refused") throw new InvariantError(preflight.reason);
  const { prepared } = preflight;
  assert.equal(prepared.nativeCostMaxRaw - prepared.feeAtMostRaw, valueOf(prepared));
  return prepared as EvmPrepared;
}

export function refused(preflight: Preflight, cause: TransferRefused["cause"]): string {
  assert.ok(preflight.kind === "refused", "it is refused");
  assert.equal(preflight.cause, cause, preflight.reason);
  return preflight.reason;
}

interface Sent {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly gasPriceRaw: bigint;
}

/** Signed, sent and mined. */
export async function send(
  { anvil, chain, wallet }: { anvil: Anvil; chain: Chain; wallet: TestWallet },
  prepared: PreparedTransfer,
): Promise<Sent> {
  const { nonce } = await chain.walletState(wallet.address, []);
  const { raw } = await chain.signTransfer(prepared, { nonce, signer: wallet.signer });
  const receipt = await anvil.rpc("eth_sendRawTransactionSync", [raw]);
  return {
    succeeded: receipt.status === "0x1",
    gasUsed: BigInt(receipt.gasUsed),
    gasPriceRaw: BigInt(receipt.effectiveGasPrice),
  };
}

export async function balanceOf(anvil: Anvil, address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

export async function setBalance(anvil: Anvil, address: string, raw: bigint): Promise<void> {
  await anvil.rpc("anvil_setBalance", [address, `0x${raw.toString(16)}`]);
}

/** Sets the base fee of the next block and mines it. */
export async function setBaseFee(anvil: Anvil, raw: bigint): Promise<void> {
  await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [`0x${raw.toString(16)}`]);
  await anvil.mine(1);
}

function valueOf({ request }: PreparedTransfer): bigint {
  return request.contract === null ? request.amountRaw : 0n;
}
