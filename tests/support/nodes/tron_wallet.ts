import { secp256k1 } from "@noble/curves/secp256k1";
import { toHex } from "../../../src/base/bytes.ts";
import { tronRules } from "../../../src/chains/tron/mod.ts";
import type { Signer } from "../../../src/transfers/rules/signer.ts";

interface TronWallet {
  readonly address: string;
  /** Without a prefix, as tronweb takes it. */
  readonly privateKey: string;
  readonly signer: Signer;
}

const made = new Map<number, TronWallet>();

/** The same key for the same number. */
export function makeTronWallet(number: number): TronWallet {
  const wallet = made.get(number) ?? newWallet(number);
  made.set(number, wallet);
  return wallet;
}

function newWallet(number: number): TronWallet {
  const key = new Uint8Array(32).fill(11);
  new DataView(key.buffer).setUint32(28, number);
  const publicKey = secp256k1.getPublicKey(key);
  return {
    address: tronRules.addressOf(publicKey),
    privateKey: toHex(key),
    signer: {
      publicKey,
      sign: (digest) => {
        const { r, s, recovery } = secp256k1.sign(digest, key, { lowS: true });
        return Promise.resolve({ r, s, recovery: recovery as 0 | 1 });
      },
    },
  };
}
