import assert from "node:assert/strict";
import { crypto, payments as forms, script as scripts, Transaction } from "bitcoinjs-lib";
import * as secp256k1 from "tiny-secp256k1";
import { readAddress } from "../../../../src/chains/bitcoin/addresses.ts";
import { signTransaction } from "../../../../src/chains/bitcoin/coins/sign.ts";
import { virtualSize } from "../../../../src/chains/bitcoin/coins/size.ts";
import { PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { seededRandom } from "../../../domain/random.ts";
import { turnsDuring } from "../../../support/programs/turns_during.ts";
import { bytesOf } from "../blocks.ts";
import { keyOf } from "./keys.ts";

const ADDRESSES = [
  "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
  "3P14159f73E4gFr7JterCCQh9QjiTjiZrG",
  "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
  "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3",
  "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
].map((address) => readAddress(address, PRESETS.BTC)!.script);

/** What each input's signature signs, and that it does, by an independent library. */
function verify(raw: string, inputs: readonly { valueRaw: bigint; key: number }[]): Transaction {
  const transaction = Transaction.fromHex(raw);
  inputs.forEach(({ valueRaw, key }, i) => {
    const { signer } = keyOf(key);
    const [signed, publicKey] = transaction.ins[i]!.witness;
    assert.deepEqual(publicKey, signer.publicKey);
    const { signature, hashType } = scripts.signature.decode(signed!);
    assert.equal(hashType, Transaction.SIGHASH_ALL);
    const code = forms.p2pkh({ hash: crypto.hash160(publicKey!) }).output!;
    const digest = transaction.hashForWitnessV0(i, code, valueRaw, hashType);
    // Strict: a high S is refused.
    assert.ok(secp256k1.verify(digest, publicKey!, signature, true), `input ${i}`);
    assert.ok(signed!.length <= 72);
  });
  return transaction;
}

Deno.test("200 random transactions are signed as an independent library wants it", async () => {
  const random = seededRandom(143);
  for (let round = 0; round < 200; round++) {
    const inputs = Array.from({ length: 1 + random.below(4) }, () => ({
      txid: bytesOf(random, 32).toHex(),
      vout: random.pick([0, 1, 255, 70_000]),
      valueRaw: BigInt(2 ** 35 + random.below(2 ** 40)),
      key: random.below(20),
    }));
    const outputs = Array.from({ length: 1 + random.below(5) }, () => ({
      script: random.pick(ADDRESSES),
      valueRaw: BigInt(1 + random.below(2 ** 30)),
    }));

    const { raw, txid, vsize } = await signTransaction({
      inputs: inputs.map(({ key, ...coin }) => ({ ...coin, signer: keyOf(key).signer })),
      outputs,
    });

    const transaction = verify(raw, inputs);
    assert.equal(transaction.getId(), txid);
    assert.equal(transaction.virtualSize(), vsize);
    const planned = virtualSize({ inputs: inputs.length, outputs });
    assert.ok(vsize <= planned && planned - vsize <= inputs.length, `${vsize} of ${planned}`);
    assert.deepEqual([transaction.version, transaction.locktime], [2, 0]);
    assert.deepEqual(
      transaction.ins.map((
        { hash, index, sequence },
      ) => [hash.toReversed().toHex(), index, sequence]),
      inputs.map(({ txid, vout }) => [txid, vout, 0xfffffffd]),
    );
    assert.deepEqual(
      transaction.outs.map(({ script, value }) => ({ script: script.toHex(), valueRaw: value })),
      outputs,
    );
  }
});

Deno.test("many inputs are signed without keeping others waiting", async () => {
  const inputs = Array.from({ length: 150 }, (_, i) => ({
    ...{ txid: "cd".repeat(32), vout: i, valueRaw: 1_000n, signer: keyOf(i).signer },
  }));
  const outputs = [{ script: ADDRESSES[2]!, valueRaw: 100_000n }];
  let signed: string | undefined;
  const turns = await turnsDuring(async () => {
    signed = (await signTransaction({ inputs, outputs })).raw;
  });
  assert.ok(turns > 3, `${turns}`);
  verify(signed!, inputs.map(({ valueRaw, vout }) => ({ valueRaw, key: vout })));
});
