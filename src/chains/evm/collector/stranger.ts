import { secp256k1 } from "@noble/curves/secp256k1";
import { hashAuthorization } from "viem/utils";
import { present } from "../../../base/assert.ts";
import { fromHex } from "../../../base/bytes.ts";
import { asHex, hex32, hexOf } from "../decode.ts";
import { evmRules } from "../rules.ts";
import type { SignedAuthorization } from "../transfers/unsigned.ts";

interface Stranger {
  readonly address: string;
  readonly authorization: SignedAuthorization;
}

/**
 * An address that delegates only in an estimate, by a key made for it. Whoever sees an authorization
 * can use it, so none of an address of ours is shown to a node for that. It is new to the chain,
 * which costs at least as much as one that is known.
 */
export function delegatingStranger({ chainId, to }: { chainId: number; to: string }): Stranger {
  const key = secp256k1.utils.randomPrivateKey();
  const order = { chainId, address: asHex(to), nonce: 0 };
  const digest = present(fromHex(hashAuthorization(order).slice(2)), "A hash is hex");
  const { r, s, recovery } = secp256k1.sign(digest, key);
  const yParity = recovery === 1 ? 1 : 0;
  return {
    address: evmRules.addressOf(secp256k1.getPublicKey(key, false)),
    authorization: { ...order, r: hex32(r), s: hex32(s), yParity },
  };
}

/** As a part of a call or an estimate. */
export function listed(authorizations: readonly SignedAuthorization[]): object {
  if (authorizations.length === 0) return {};
  return {
    authorizationList: authorizations.map(({ chainId, nonce, yParity, ...rest }) => ({
      ...rest,
      chainId: hexOf(chainId),
      nonce: hexOf(nonce),
      yParity: hexOf(yParity),
    })),
  };
}
