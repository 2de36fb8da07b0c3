import { connectEvm } from "../../src/chains/evm/mod.ts";
import type { SignedTransfer } from "../../src/chains/transfer.ts";
import type { Anvil } from "./nodes/anvil.ts";
import { sendTx } from "./nodes/contracts.ts";
import { fund, makeWallet, signed, type TestWallet } from "./nodes/evm_wallet.ts";
import { eventually } from "./programs/eventually.ts";
import { allocate, depositsOf } from "./views.ts";
import type { World } from "./world.ts";

export const ETHER = 10n ** 18n;
export const STRANGER = "0x00000000000000000000000000000000000A11cE";

/** A customer with coins of their own, whose transactions can be kept and mined again. */
interface Payer {
  readonly address: string;
  /** Signed with this nonce, not sent. */
  sign(payment: Payment & { nonce: number }): Promise<SignedTransfer>;
  /** Sent and mined. */
  pay(payment: Payment & { nonce: number }): Promise<SignedTransfer & { height: number }>;
}

interface Payment {
  readonly to: string;
  readonly amountRaw: bigint;
  readonly contract?: string;
}

export async function makePayer(anvil: Anvil, seed: number): Promise<Payer> {
  const wallet: TestWallet = makeWallet(seed);
  const chain = connectEvm({ rpcUrls: [anvil.url] });
  await fund(anvil, wallet.address);
  // Into a block, so that a reorganisation does not take it away.
  await anvil.mine(1);
  const sign: Payer["sign"] = ({ contract = null, ...payment }) =>
    signed(chain, { ...payment, contract, wallet });
  return {
    address: wallet.address,
    sign,
    pay: async (payment) => {
      const made = await sign(payment);
      return { ...made, height: await mineRaw(anvil, made.raw) };
    },
  };
}

/** The height at which it was mined. */
export async function mineRaw(anvil: Anvil, raw: string): Promise<number> {
  const { blockNumber } = await anvil.rpc("eth_sendRawTransactionSync", [raw]);
  return Number(blockNumber);
}

export async function setBalance(anvil: Anvil, address: string, raw: bigint): Promise<void> {
  await anvil.rpc("anvil_setBalance", [address, hex(raw)]);
}

/**
 * A payment after everything else, credited: whatever was going to be credited before it has been.
 * Confirmed two blocks later.
 */
export async function creditSentinel(world: World): Promise<void> {
  const { api } = await world.addMerchant("Sentinel");
  const { address } = await allocate(api);
  await sendTx(world.anvil, { to: address, valueRaw: ETHER });
  await world.anvil.mine(2);
  await eventually(() => depositsOf(api), { until: ([row]) => row?.status === "confirmed" });
}

export function hex(value: bigint | number): string {
  return `0x${value.toString(16)}`;
}
