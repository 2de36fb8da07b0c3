import type { HDKey } from "@scure/bip32";
import { secp256k1 } from "@noble/curves/secp256k1";
import { invariant, present } from "../base/assert.ts";
import { Lru } from "../base/lru.ts";
import type { Signer } from "../transfers/rules/signer.ts";

/** m/44'/<coinType>'/<account>'/<branch>/<index>; the hardened account keeps merchants apart. */
export interface KeyPath {
  readonly coinType: number;
  readonly account: number;
  readonly branch: KeyBranch;
  readonly index: number;
}

export const KEY_BRANCHES = { deposit: 0, hot: 1, gas: 2 } as const;
export type KeyBranch = typeof KEY_BRANCHES[keyof typeof KEY_BRANCHES];

/** Account 0 is the operator's; merchants start at 1. */
export const OPERATOR_ACCOUNT = 0;

const BRANCHES_CACHED_MAX = 1024;
/** The same wallets sign again and again. */
const LEAVES_CACHED_MAX = 1_000;

/** Derives public keys and hands out signers. Private keys never leave it. */
export interface KeyRing {
  publicKeyOf(path: KeyPath): Uint8Array;
  signerOf(path: KeyPath): Signer;
}

export function createKeyRing(root: HDKey): KeyRing {
  const branches = new Lru<string, HDKey>(BRANCHES_CACHED_MAX);
  const leaves = new Lru<string, HDKey>(LEAVES_CACHED_MAX);

  function branchOf({ coinType, account, branch }: KeyPath): HDKey {
    const text = `m/44'/${coinType}'/${account}'/${branch}`;
    return branches.getOrMake(text, () => root.derive(text));
  }

  function leafOf(path: KeyPath): HDKey {
    invariant(
      Number.isInteger(path.index) && path.index >= 0 && path.index < 2 ** 31,
      `No key has index ${path.index}`,
    );
    const text = `${path.coinType}/${path.account}/${path.branch}/${path.index}`;
    return leaves.getOrMake(text, () => branchOf(path).deriveChild(path.index));
  }

  function publicKeyOf(path: KeyPath): Uint8Array {
    return present(leafOf(path).publicKey, "A derived key has a public key");
  }

  return {
    publicKeyOf,
    signerOf: (path) => ({
      publicKey: publicKeyOf(path),
      sign: (digest) => {
        const key = present(leafOf(path).privateKey, "A derived key has a private key");
        const { r, s, recovery } = secp256k1.sign(digest, key, { lowS: true });
        invariant(recovery === 0 || recovery === 1, "A signature recovers with 0 or 1");
        return Promise.resolve({ r, s, recovery });
      },
    }),
  };
}
