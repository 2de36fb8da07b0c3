import type { HDKey } from "@scure/bip32";
import { secp256k1 } from "@noble/curves/secp256k1";
import { invariant, present } from "../base/assert.ts";
import { Lru } from "../base/lru.ts";
import type { Signer } from "../transfers/rules/signer.ts";
import type { KeyPath } from "../wallets/rules/key_path.ts";

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

  function branchOf(path: KeyPath): HDKey {
    const text = branchText(path);
    return branches.getOrMake(text, () => root.derive(text));
  }

  function leafOf(path: KeyPath): HDKey {
    invariant(
      Number.isInteger(path.index) && path.index >= 0 && path.index < 2 ** 31,
      `No key has index ${path.index}`,
    );
    const text = `${branchText(path)}/${path.index}`;
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

function branchText({ bip = 44, coinType, account, branch }: KeyPath): string {
  return `m/${bip}'/${coinType}'/${account}'/${branch}`;
}
