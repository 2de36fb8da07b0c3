import { keccak256, serializeTransaction } from "viem/utils";
import { invariant, present } from "../../../base/assert.ts";
import { fromHex } from "../../../base/bytes.ts";
import { authorize } from "../collector/delegation.ts";
import type { PreparedTransfer, SignedTransfer, SignOptions } from "../../transfer.ts";
import { isSignedBy } from "../../signed_by.ts";
import { hex32 } from "../decode.ts";
import { evmRules } from "../rules.ts";
import { priceOffered } from "./fees.ts";
import { unsigned, type UnsignedDetail } from "./unsigned.ts";

export async function signTransfer(
  { request: { from }, detail, charge }: PreparedTransfer<UnsignedDetail>,
  options: SignOptions,
): Promise<SignedTransfer> {
  return await signDetail({ from, detail, costMaxRaw: charge.maxRaw }, options);
}

/** Any transaction that this program makes: a payment, a batch, a new contract. */
export async function signDetail(
  { from, detail, costMaxRaw }: { from: string; detail: UnsignedDetail; costMaxRaw: bigint },
  { nonce, signer, authorizers }: SignOptions,
): Promise<SignedTransfer> {
  const { publicKey } = signer;
  const address = evmRules.addressOf(publicKey);
  invariant(address === from, `Key of ${address} cannot sign for ${from}`);
  const { gas, fee } = detail;
  invariant(gas * priceOffered(fee) <= costMaxRaw, "It costs no more than was said");
  const tx = unsigned(await withAuthorizations(detail, authorizers), nonce);
  const digest = keccak256(serializeTransaction(tx));
  const bytes = present(fromHex(digest.slice(2)), "A hash is hex");
  const signed = await signer.sign(bytes);
  invariant(isSignedBy(publicKey, { digest: bytes, signed }), `Not signed as ${from}`);
  const { r, s, recovery } = signed;
  const signature = { r: hex32(r), s: hex32(s), v: 27n + BigInt(recovery), yParity: recovery };
  const raw = serializeTransaction(tx, signature);
  return { raw, txHash: keccak256(raw), nonce };
}

async function withAuthorizations(
  { delegations = [], authorizations = [], ...detail }: UnsignedDetail,
  authorizers: SignOptions["authorizers"],
): Promise<UnsignedDetail> {
  const signed = await Promise.all(delegations.map(async (one) => {
    const signer = present(authorizers?.get(one.from), `The key of ${one.from} is given`);
    invariant(evmRules.addressOf(signer.publicKey) === one.from, "Each delegates by its own key");
    return await authorize(one, signer);
  }));
  return { ...detail, authorizations: [...authorizations, ...signed] };
}
