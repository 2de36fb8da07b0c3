import { secp256k1 } from "@noble/curves/secp256k1";
import { Transaction } from "@scure/btc-signer";
import { invariant, present } from "../../../base/assert.ts";
import { fromHex, joined, toHex } from "../../../base/bytes.ts";
import { at } from "../../../base/lists.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { Signer } from "../../../transfers/rules/signer.ts";
import { p2wpkhScript } from "../addresses.ts";
import { readTransaction } from "../bytes/transaction.ts";
import type { Coin, Payment } from "./size.ts";

/** A coin, and who signs for it. */
interface SignedInput extends Coin {
  readonly signer: Signer;
}

interface SignedBytes {
  readonly raw: string;
  readonly txid: string;
  readonly vsize: number;
}

/** It may be replaced by one with a higher fee, and nothing of it waits for a time (BIP-125). */
const REPLACEABLE = 0xffff_fffd;
const VERSION = 2;
const KEY_BYTES = 33;
/** Of everything. */
const SIGHASH_ALL = 1;

/** All inputs are P2WPKH. Inputs and outputs stay in their order. */
export async function signTransaction(
  { inputs, outputs }: {
    readonly inputs: readonly SignedInput[];
    readonly outputs: readonly Payment[];
  },
): Promise<SignedBytes> {
  const transaction = new Transaction({ version: VERSION, allowUnknownOutputs: true });
  invariant(
    inputs.every(({ signer }) => signer.publicKey.length === KEY_BYTES),
    "A P2WPKH is spent with a compressed key",
  );
  const scripts = inputs.map(({ signer }) => bytesOf(p2wpkhScript(signer.publicKey)));
  inputs.forEach(({ txid, vout, valueRaw }, i) => {
    const witnessUtxo = { script: at(scripts, i), amount: valueRaw };
    transaction.addInput({ txid, index: vout, sequence: REPLACEABLE, witnessUtxo });
  });
  for (const { script, valueRaw } of outputs) {
    transaction.addOutput({ script: bytesOf(script), amount: valueRaw });
  }
  const witnesses = await mapInPortions(inputs, async ({ valueRaw, signer }, i) => {
    const hash = at(scripts, i).subarray(2);
    const code = joined([CODE_HEAD, hash, CODE_TAIL]);
    const digest = transaction.preimageWitnessV0(i, code, SIGHASH_ALL, valueRaw);
    const { r, s } = await signer.sign(digest);
    const signature = new secp256k1.Signature(r, s);
    invariant(!signature.hasHighS(), "Nodes pass on low signatures only");
    return [joined([signature.toDERRawBytes(), SIGHASH]), signer.publicKey];
  });
  witnesses.forEach((finalScriptWitness, i) =>
    transaction.updateInput(i, { finalScriptWitness }, true)
  );
  const raw = transaction.extract();
  const { txid, weight } = checked(raw, { inputs, outputs });
  return { raw: toHex(raw), txid, vsize: Math.ceil(weight / 4) };
}

/** What a key's hash is signed for, as if it were P2PKH (BIP-143). */
const CODE_HEAD = new Uint8Array([0x76, 0xa9, 20]);
const CODE_TAIL = new Uint8Array([0x88, 0xac]);
const SIGHASH = new Uint8Array([SIGHASH_ALL]);

/** Read again, it is what was asked for: no library decides where money goes. */
function checked(
  raw: Uint8Array,
  { inputs, outputs }: { readonly inputs: readonly Coin[]; readonly outputs: readonly Payment[] },
) {
  const read = present(readTransaction(raw, { hasMweb: false }), "It spends coins");
  invariant(
    read.inputs.length === inputs.length &&
      read.inputs.every(({ txid, vout, sequence }, i) =>
        txid === inputs[i]!.txid && vout === inputs[i]!.vout && sequence === REPLACEABLE
      ),
    "It spends what it should",
  );
  invariant(
    read.outputs.length === outputs.length &&
      read.outputs.every(({ valueRaw, script }, i) =>
        valueRaw === outputs[i]!.valueRaw && script === outputs[i]!.script
      ),
    "It pays what it should",
  );
  return read;
}

function bytesOf(hex: string): Uint8Array {
  return present(fromHex(hex), "A script is hex");
}
