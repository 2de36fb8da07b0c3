import assert from "node:assert/strict";
import { secp256k1 } from "@noble/curves/secp256k1";
import { mnemonicToAccount } from "viem/accounts";
import { recoverAddress } from "viem/utils";
import { InvariantError } from "../../src/base/assert.ts";
import { randomBytes, toHex } from "../../src/base/bytes.ts";
import { evmRules } from "../../src/chains/evm/rules.ts";
import { createKeyRing } from "../../src/keys/key_ring.ts";
import { rootOf } from "../../src/keys/seed.ts";
import {
  KEY_BRANCHES,
  type KeyBranch,
  type KeyPath,
  OPERATOR_ACCOUNT,
} from "../../src/wallets/rules/key_path.ts";
import { seededRandom } from "../domain/random.ts";

const PHRASE = `${"abandon ".repeat(23)}art`;
const ring = createKeyRing(await rootOf(PHRASE));

const makePath = (path: Partial<KeyPath> = {}): KeyPath => ({
  coinType: 60,
  account: 1,
  branch: KEY_BRANCHES.deposit,
  index: 0,
  ...path,
});

const addressAt = (path: KeyPath) => evmRules.addressOf(ring.publicKeyOf(path));

const BRANCHES = Object.values(KEY_BRANCHES);

function randomPaths(seed: number, count: number): KeyPath[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () =>
    makePath({
      account: random.pick([0, 1, 2, random.below(2 ** 31)]),
      branch: random.pick<KeyBranch>(BRANCHES),
      index: random.pick([0, 1, 2 ** 31 - 1, random.below(1000), random.below(2 ** 31)]),
    }));
}

Deno.test("every derived address is the one that viem derives for the same phrase and path", () => {
  for (const path of randomPaths(71, 120)) {
    const { account, branch, index } = path;
    const text = `m/44'/60'/${account}'/${branch}/${index}` as const;
    assert.equal(addressAt(path), mnemonicToAccount(PHRASE, { path: text }).address, text);
  }
});

Deno.test("the first key of the known test phrase has the address that every tool shows for it", async () => {
  const known = createKeyRing(
    await rootOf("test test test test test test test test test test test junk"),
  );
  assert.equal(
    evmRules.addressOf(known.publicKeyOf(makePath({ account: 0 }))),
    "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  );
});

Deno.test("a signer has the key of its path, and its signatures recover to that address", async () => {
  for (const path of randomPaths(72, 40)) {
    const signer = ring.signerOf(path);
    assert.deepEqual(signer.publicKey, ring.publicKeyOf(path));
    const digest = randomBytes(32);
    const { r, s, recovery } = await signer.sign(digest);
    const signature = { r: hex32(r), s: hex32(s), yParity: recovery };
    const recovered = await recoverAddress({ hash: `0x${toHex(digest)}`, signature });
    assert.equal(recovered, addressAt(path));
  }
});

Deno.test("signatures are in the lower half of the curve, as every EVM chain requires", async () => {
  const signer = ring.signerOf(makePath());
  for (let i = 0; i < 60; i++) {
    const { s } = await signer.sign(randomBytes(32));
    assert.ok(s > 0n && s <= secp256k1.CURVE.n / 2n);
  }
});

Deno.test("the same digest gets the same signature again, so a restart produces the same bytes", async () => {
  const digest = new Uint8Array(32).fill(7);
  const again = createKeyRing(await rootOf(PHRASE));
  assert.deepEqual(
    await again.signerOf(makePath()).sign(digest),
    await ring.signerOf(makePath()).sign(digest),
  );
});

Deno.test("accounts, branches, indexes and coins never share an address", () => {
  const paths = [60, 195].flatMap((coinType) =>
    [OPERATOR_ACCOUNT, 1, 2, 3].flatMap((account) =>
      BRANCHES.flatMap((branch) =>
        [0, 1, 2].map((index) => makePath({ coinType, account, branch, index }))
      )
    )
  );
  assert.equal(new Set(paths.map(addressAt)).size, paths.length);
  assert.equal(new Set(BRANCHES).size, 3);
});

Deno.test("a path of another standard than BIP-44 has keys of its own", async () => {
  const root = await rootOf(PHRASE);
  const path = makePath({ coinType: 2, account: 0, index: 5 });
  assert.deepEqual(ring.publicKeyOf(path), root.derive("m/44'/2'/0'/0/5").publicKey);
  const other = ring.publicKeyOf({ ...path, bip: 84 });
  assert.deepEqual(other, root.derive("m/84'/2'/0'/0/5").publicKey);
  assert.deepEqual(ring.signerOf({ ...path, bip: 84 }).publicKey, other);
});

Deno.test("an account is hardened: its keys don't follow from the public key above it (hazard K1)", async () => {
  const root = await rootOf(PHRASE);
  const publicOnly = root.derive("m/44'/60'").wipePrivateData();
  assert.throws(() => publicOnly.derive("m/1'"));
  assert.equal(publicOnly.publicExtendedKey.startsWith("xpub"), true);
  const soft = evmRules.addressOf(root.derive("m/44'/60'/1/0/0").publicKey!);
  assert.notEqual(addressAt(makePath()), soft);
});

Deno.test("an index that no key has is an invariant error, never another key", () => {
  for (const index of [-1, 2 ** 31, 2 ** 32, NaN, Infinity, 0.5, 1.5]) {
    assert.throws(() => ring.publicKeyOf(makePath({ index })), InvariantError, String(index));
    assert.throws(() => ring.signerOf(makePath({ index })), InvariantError, String(index));
  }
});

Deno.test("an account that no key has is never another account's key", () => {
  for (const account of [-1, 2 ** 31, NaN, 0.5, 1.5]) {
    assert.throws(() => ring.publicKeyOf(makePath({ account })), Error, String(account));
  }
});

Deno.test("more branches than are cached still derive the right keys", () => {
  const first = addressAt(makePath({ account: 1 }));
  for (let account = 100; account < 1200; account++) ring.publicKeyOf(makePath({ account }));
  assert.equal(addressAt(makePath({ account: 1 })), first);
});

Deno.test("a key ring or a signer written into a log shows no private key", async () => {
  const root = await rootOf(PHRASE);
  const path = makePath();
  const leaf = root.derive("m/44'/60'/1'/0/0");
  const written = JSON.stringify({ ring, signer: ring.signerOf(path) }) +
    Deno.inspect([ring, ring.signerOf(path)], { depth: 20, showHidden: true, iterableLimit: 1000 });
  const secrets = [leaf.privateKey!, root.privateKey!];
  for (const secret of secrets) {
    assert.equal(written.includes(toHex(secret)), false);
    assert.equal(written.replace(/\s+/g, "").includes(secret.join(",")), false);
  }
  assert.equal(written.includes("abandon"), false);
});

function hex32(value: bigint): `0x${string}` {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
