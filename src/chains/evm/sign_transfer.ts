import type { Hex } from "viem";
import { keccak256, recoverAddress, serializeTransaction } from "viem/utils";
import { invariant, present } from "../../base/assert.ts";
import { fromHex } from "../../base/bytes.ts";
import type { PreparedTransfer, SignedTransfer, SignOptions } from "../chain.ts";
import { evmFamily } from "./family.ts";
import { type EvmDetail, unsigned } from "./unsigned.ts";

export async function signTransfer(
  { request, detail }: PreparedTransfer,
  { nonce, signer }: SignOptions,
): Promise<SignedTransfer> {
  const signerAddress = evmFamily.addressOf(signer.publicKey);
  invariant(
    signerAddress === request.from,
    `Key of ${signerAddress} cannot sign for ${request.from}`,
  );
  const tx = unsigned(detail as EvmDetail, nonce);
  const digest = keccak256(serializeTransaction(tx));
  const { r, s, recovery } = await signer.sign(present(fromHex(digest.slice(2)), "A hash is hex"));
  const signature = { r: hex32(r), s: hex32(s), v: 27n + BigInt(recovery), yParity: recovery };
  const recovered = await recoverAddress({ hash: digest, signature });
  invariant(recovered === request.from, `Signed as ${recovered} instead of ${request.from}`);
  const raw = serializeTransaction(tx, signature);
  return { raw, txHash: keccak256(raw), nonce };
}

function hex32(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
