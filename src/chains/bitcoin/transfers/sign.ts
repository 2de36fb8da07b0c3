import { present } from "../../../base/assert.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { PreparedTransfer, SignedTransfer, SignOptions } from "../../transfer.ts";
import { signTransaction } from "../coins/sign.ts";
import { detailOf } from "./detail.ts";

/** What it pays, then what goes back to the wallet. */
export async function signTransfer(
  prepared: PreparedTransfer,
  { nonce, signer, authorizers = new Map() }: SignOptions,
): Promise<SignedTransfer> {
  const { plan: { inputs, payments, change }, from } = detailOf(prepared);
  const signerOf = (address: string) =>
    address === from
      ? signer
      : present(authorizers.get(address), `A signer of ${address} was given`);
  const { raw, txid } = await signTransaction({
    inputs: inputs.map((coin) => ({ ...coin, signer: signerOf(coin.output.address) })),
    outputs: [...payments, ...change],
  });
  return {
    raw,
    txHash: txid,
    nonce,
    // What was gathered claims them for itself: nothing else would do.
    claims: prepared.claims
      ? []
      : inputs.map(({ output }) => ({ claim: outpointOf(output), isOnce: true })),
    change: change.map(({ valueRaw: amountRaw }, i) => ({
      ...{ txHash: txid, position: payments.length + i, address: from },
      ...{ amountRaw, maturesAt: null },
    })),
  };
}
