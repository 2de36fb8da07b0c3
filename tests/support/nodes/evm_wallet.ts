import { secp256k1 } from "@noble/curves/secp256k1";
import { invariant } from "../../../src/base/assert.ts";
import { evmRules } from "../../../src/chains/evm/mod.ts";
import type { Chain, Watch } from "../../../src/chains/chain.ts";
import type { SignedTransfer, TransferRequest } from "../../../src/chains/transfer.ts";
import type { Signer } from "../../../src/transfers/rules/signer.ts";
import type { Anvil } from "./anvil.ts";

export interface TestWallet {
  readonly address: string;
  readonly signer: Signer;
}

/** The same key for the same seed, so that a failure can be repeated. */
export function makeWallet(seed: number): TestWallet {
  const key = new Uint8Array(32).fill(7);
  new DataView(key.buffer).setUint32(28, seed);
  const publicKey = secp256k1.getPublicKey(key);
  const sign: Signer["sign"] = (digest) => {
    const { r, s, recovery } = secp256k1.sign(digest, key, { lowS: true });
    invariant(recovery === 0 || recovery === 1, "A signature recovers with 0 or 1");
    return Promise.resolve({ r, s, recovery });
  };
  return { address: evmRules.addressOf(publicKey), signer: { publicKey, sign } };
}

export async function fund(anvil: Anvil, address: string): Promise<void> {
  await anvil.rpc("anvil_setBalance", [address, "0x56bc75e2d63100000"]);
}

/** Prepared and signed, not sent. */
export async function signed(
  chain: Chain,
  { wallet, nonce, ...to }: Omit<TransferRequest, "from"> & { wallet: TestWallet; nonce: number },
): Promise<SignedTransfer> {
  const preflight = await chain.prepareTransfer({ ...to, from: wallet.address });
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  return await chain.signTransfer(preflight.prepared, { nonce, signer: wallet.signer });
}

interface CountingWatch extends Watch {
  /** The addresses of each request. */
  readonly asked: (readonly string[])[];
}

export function makeWatch(
  owned: readonly string[],
  contracts: readonly string[] = [],
  { traces = false }: { traces?: boolean } = {},
): CountingWatch {
  const all = new Set(owned);
  const asked: (readonly string[])[] = [];
  return {
    contracts,
    traces,
    asked,
    owned: (addresses) => {
      asked.push(addresses);
      return Promise.resolve(new Set(addresses.filter((address) => all.has(address))));
    },
  };
}
