import { hashAuthorization } from "viem/utils";
import { invariant, present } from "../../../base/assert.ts";
import { fromHex } from "../../../base/bytes.ts";
import type { Signer } from "../../../transfers/rules/signer.ts";
import { isSignedBy } from "../../signed_by.ts";
import { addressOfBytes } from "../address.ts";
import { asHex, hex32, hexBytes } from "../decode.ts";
import { evmRules } from "../rules.ts";
import type { Delegation, SignedAuthorization } from "../transfers/unsigned.ts";
import { collectorAddress } from "./deployment.ts";

/** What runs at an address. */
type Delegate =
  | { readonly kind: "none" }
  | { readonly kind: "delegated"; readonly to: string }
  /** A contract, which no key has signed for. */
  | { readonly kind: "contract" };

const DELEGATION = /^0xef0100([0-9a-f]{40})$/;

export function readDelegate(code: unknown): Delegate {
  const bytes = hexBytes(code, "an address's code");
  if (bytes === "0x") return { kind: "none" };
  const [, to] = DELEGATION.exec(bytes) ?? [];
  return to === undefined ? { kind: "contract" } : { kind: "delegated", to: addressOfBytes(to) };
}

/** To delegate to it is to have no code. */
export const NOBODY = `0x${"0".repeat(40)}`;

/**
 * There is no way to name another contract than the collector: its address is worked out here, and
 * only a transaction of the gas wallet can put code there.
 */
export async function authorize(
  { collector, nonce, to }: Omit<Delegation, "from">,
  signer: Signer,
): Promise<SignedAuthorization> {
  const { chainId } = collector;
  const target = to === "nobody" ? NOBODY : collectorAddress(collector);
  // 0 would be every chain.
  invariant(Number.isSafeInteger(chainId) && chainId > 0, `Not a chain to sign for: ${chainId}`);
  invariant(Number.isSafeInteger(nonce) && nonce >= 0, `Not a nonce: ${nonce}`);
  const unsigned = { chainId, address: asHex(target), nonce };
  const digest = present(fromHex(hashAuthorization(unsigned).slice(2)), "A hash is hex");
  const signed = await signer.sign(digest);
  const address = evmRules.addressOf(signer.publicKey);
  invariant(isSignedBy(signer.publicKey, { digest, signed }), `Not signed as ${address}`);
  return { ...unsigned, r: hex32(signed.r), s: hex32(signed.s), yParity: signed.recovery };
}
