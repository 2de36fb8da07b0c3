import assert from "node:assert/strict";
import { BIP32Factory } from "bip32";
import { address as oracle, initEccLib, type Network, networks, payments } from "bitcoinjs-lib";
import * as secp256k1 from "tiny-secp256k1";
import { HDKey } from "@scure/bip32";
import { createBase58check } from "@scure/base";
import { sha256 } from "@noble/hashes/sha2.js";
import {
  addressOfScript,
  canonicalAddress,
  dustLimit,
  p2shP2wpkhAddress,
  p2wpkhAddress,
  readAddress,
} from "../../../src/chains/bitcoin/addresses.ts";
import { readExtendedKey } from "../../../src/chains/bitcoin/extended_keys.ts";
import type { ExtendedKey } from "../../../src/chains/extended_key.ts";
import {
  type BitcoinPreset,
  presetOfGenesis,
  PRESETS,
} from "../../../src/chains/bitcoin/params.ts";
import { rootOf } from "../../../src/keys/seed.ts";
import { seededRandom } from "../../domain/random.ts";
import { bytesOf } from "./blocks.ts";

const ALL = Object.keys(PRESETS) as BitcoinPreset[];
const bip32 = BIP32Factory(secp256k1);
initEccLib(secp256k1);
const base58check = createBase58check(sha256);

/** The same parameters, as the independent library writes them. */
const NETWORKS: Readonly<Record<BitcoinPreset, Network>> = {
  "BTC": networks.bitcoin,
  "BTC-TEST": networks.testnet,
  "BTC-REGTEST": networks.regtest,
  "LTC": { ...networks.bitcoin, bech32: "ltc", pubKeyHash: 48, scriptHash: 50 },
  "LTC-TEST": { ...networks.testnet, bech32: "tltc", scriptHash: 58 },
  "LTC-REGTEST": { ...networks.testnet, bech32: "rltc", scriptHash: 58 },
};

function reads(text: string, preset: BitcoinPreset) {
  return readAddress(text, PRESETS[preset]);
}

function randomScripts(seed: number): Uint8Array[] {
  const random = seededRandom(seed);
  const hash = bytesOf(random, 20);
  const key = bytesOf(random, 32);
  return [
    payments.p2pkh({ hash }).output!,
    payments.p2sh({ hash }).output!,
    payments.p2wpkh({ hash }).output!,
    payments.p2wsh({ hash: key }).output!,
    Uint8Array.from([0x51, 32, ...HDKey.fromMasterSeed(key).publicKey!.subarray(1)]),
  ];
}

Deno.test("addresses and scripts are each other's, as an independent library has them", () => {
  for (const preset of ALL) {
    for (let seed = 0; seed < 50; seed++) {
      for (const script of randomScripts(seed)) {
        const written = oracle.fromOutputScript(script, NETWORKS[preset]);
        assert.equal(addressOfScript(script.toHex(), PRESETS[preset]), written);
        assert.equal(reads(written, preset)?.script, script.toHex());
        assert.equal(canonicalAddress(written, PRESETS[preset]), written);
      }
    }
  }
});

Deno.test("an address of one network is none of another, unless they write it alike", () => {
  const alike = (one: BitcoinPreset, other: BitcoinPreset, form: string) =>
    one === other ||
    PRESETS[one].isTest && PRESETS[other].isTest && form === "p2pkh" ||
    // Litecoin's old form is Bitcoin's.
    form === "p2sh" && PRESETS[one].isTest === PRESETS[other].isTest &&
      (PRESETS[one].symbol === PRESETS[other].symbol || PRESETS[one].symbol === "BTC");
  for (const one of ALL) {
    for (const script of randomScripts(1)) {
      const written = addressOfScript(script.toHex(), PRESETS[one])!;
      const { form } = reads(written, one)!;
      for (const other of ALL) {
        const read = reads(written, other);
        assert.equal(read?.form, alike(one, other, form) ? form : undefined, `${written} ${other}`);
      }
    }
  }
});

const REFUSED: readonly (readonly [why: string, preset: BitcoinPreset, address: string])[] = [
  // BIP-173
  ["an unknown part", "BTC", "tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty"],
  ["a wrong checksum", "BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"],
  ["a length that no form has", "BTC", "bc1rw5uspcuf"],
  [
    "a program that is too long",
    "BTC",
    "bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90",
  ],
  ["a length that version 0 hasn't", "BTC", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P"],
  [
    "mixed case",
    "BTC-TEST",
    "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7",
  ],
  ["padding of more than 4 bits", "BTC", "bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du"],
  [
    "padding that isn't zero",
    "BTC-TEST",
    "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv",
  ],
  ["nothing in it", "BTC", "bc1gmk9yu"],
  // BIP-350
  [
    "another network's part",
    "BTC",
    "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut",
  ],
  [
    "Bech32 instead of Bech32m",
    "BTC",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
  ],
  [
    "Bech32 instead of Bech32m",
    "BTC-TEST",
    "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf",
  ],
  [
    "Bech32 instead of Bech32m in upper case",
    "BTC",
    "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
  ],
  ["Bech32m instead of Bech32", "BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh"],
  [
    "Bech32m instead of Bech32",
    "BTC-TEST",
    "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47",
  ],
  [
    "a character that there isn't",
    "BTC",
    "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
  ],
  [
    "a version that there isn't",
    "BTC",
    "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
  ],
  ["a program of one byte", "BTC", "bc1pw5dgrnzv"],
  [
    "a program of 41 bytes",
    "BTC",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
  ],
  [
    "mixed case",
    "BTC-TEST",
    "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq",
  ],
  [
    "padding of more than 4 bits",
    "BTC",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
  ],
  [
    "padding that isn't zero",
    "BTC-TEST",
    "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j",
  ],
  // Valid by BIP-350, but no form that we know.
  ["a version of the future", "BTC", "BC1SW50QGDZ25J"],
  ["a version of the future", "BTC", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs"],
  ["P2A, which anybody can spend", "BTC", "bc1pfeessrawgf"],
  ["another network's SegWit", "LTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
  [
    "an extension block's",
    "LTC",
    "ltcmweb1qqgpfmarfcr8j84368r4hqs4wluw4fa2uzpdw3x59lz2ew0q9k2445qc43zqd64v4wx0mtm7l8a8y868y4v988ayf6yguafvgas09j98snv8yf3lh",
  ],
  [
    "an extension block's, as a node of a test net gives it out",
    "LTC-REGTEST",
    "tmweb1qqgpfmarfcr8j84368r4hqs4wluw4fa2uzpdw3x59lz2ew0q9k2445qc43zqd64v4wx0mtm7l8a8y868y4v988ayf6yguafvgas09j98snv8yf3lh",
  ],
  ["a wrong checksum", "BTC", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh"],
  ["a space", "BTC", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH "],
  ["a character that there isn't", "BTC", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAM0"],
  ["a private key", "BTC", "KwdMAjGmerYanjeui5SHS7JkmpZvVipYvB2LJGU1ZxJwYvP98617"],
  ["an address of an account", "BTC", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
  ["nothing", "BTC", ""],
];

for (const [why, preset, address] of REFUSED) {
  Deno.test(`no address of ${preset}, for ${why}: ${address.slice(0, 30)}`, () => {
    assert.equal(reads(address, preset), undefined);
  });
}

const READ: readonly (readonly [preset: BitcoinPreset, address: string, script: string])[] = [
  // BIP-173 and BIP-350
  [
    "BTC",
    "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
    "0014751e76e8199196d454941c45d1b3a323f1433bd6",
  ],
  [
    "BTC-TEST",
    "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
    "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262",
  ],
  [
    "BTC-TEST",
    "tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy",
    "0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433",
  ],
  [
    "BTC-TEST",
    "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c",
    "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433",
  ],
  [
    "BTC",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
    "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
  ],
];

for (const [preset, address, script] of READ) {
  Deno.test(`${address.slice(0, 30)} pays what its BIP says`, () => {
    assert.equal(reads(address, preset)?.script, script);
  });
}

Deno.test("no single wrong, missing or exchanged character passes", () => {
  const random = seededRandom(173);
  const letters = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  const digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  for (const preset of ALL) {
    for (const script of randomScripts(3)) {
      const right = addressOfScript(script.toHex(), PRESETS[preset])!;
      const from = right.includes(`${PRESETS[preset].hrp}1`) ? letters : digits;
      for (let at = 0; at < right.length; at++) {
        const other = random.pick([...from].filter((letter) => letter !== right[at]));
        const wrong = right.slice(0, at) + other + right.slice(at + 1);
        assert.equal(reads(wrong, preset), undefined, wrong);
        assert.equal(reads(right.slice(0, at) + right.slice(at + 1), preset), undefined);
        const swapped = right.slice(0, at) + (right[at + 1] ?? "") + right[at] +
          right.slice(at + 2);
        if (swapped !== right) assert.equal(reads(swapped, preset), undefined, swapped);
      }
    }
  }
});

Deno.test("Litecoin's old P2SH form is read and stored as the new one", () => {
  const [old, now] = ["3MSvaVbVFFLML86rt5eqgA9SvW23upaXdY", "MTf4tP1TCNBn8dNkyxeBVoPrFCcVzxJvvh"];
  const network = PRESETS.LTC;
  assert.equal(reads(old, "LTC")?.script, reads(now, "LTC")?.script);
  assert.ok(reads(now, "LTC"));
  assert.deepEqual([canonicalAddress(old, network), canonicalAddress(now, network)], [now, now]);
  assert.equal(reads(now, "BTC"), undefined);
});

Deno.test("upper case is the same address, and is stored in lower case", () => {
  const upper = "LTC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KGMN4N9";
  assert.equal(canonicalAddress(upper, PRESETS.LTC), upper.toLowerCase());
});

Deno.test("below these amounts nodes don't pass an output on", () => {
  const limits = (preset: BitcoinPreset) =>
    randomScripts(1).map((script) => dustLimit(script.toHex(), PRESETS[preset]));
  assert.deepEqual(limits("BTC"), [546n, 540n, 294n, 330n, 330n]);
  assert.deepEqual(limits("LTC"), [5_460n, 5_400n, 2_940n, 3_300n, 3_300n]);
});

// BIP-84, "Test vectors".
const PHRASE =
  "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
const ACCOUNT =
  "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
const GIVEN = [
  "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
  "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
];

Deno.test("the seed and the account key of BIP-84 give the addresses that it says", async () => {
  const root = await rootOf(PHRASE);
  const at = (path: string) => p2wpkhAddress(root.derive(path).publicKey!, PRESETS.BTC);
  assert.equal(at("m/84'/0'/0'/0/0"), GIVEN[0]);
  assert.equal(at("m/84'/0'/0'/0/1"), GIVEN[1]);
  assert.equal(at("m/84'/0'/0'/1/0"), "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
  const key = extended(ACCOUNT, "BTC");
  assert.deepEqual([key.addressAt(0), key.addressAt(1)], GIVEN);
});

Deno.test("one key in each encoding is the same key, with the addresses of its encoding", () => {
  const inEncoding = (prefix: string) => reencoded(ACCOUNT, prefix);
  const [x, y, z] = ["0488b21e", "049d7cb2", "04b24746"].map(inEncoding);
  for (const text of [x!, z!]) assert.equal(extended(text, "BTC").addressAt(0), GIVEN[0]);
  const nested = extended(y!, "BTC");
  assert.equal(nested.script, "p2sh_p2wpkh");
  const node = bip32.fromBase58(x!).derive(0).derive(5);
  const redeem = payments.p2wpkh({ pubkey: node.publicKey });
  assert.equal(nested.addressAt(5), payments.p2sh({ redeem }).address);
  const ids = [x!, y!, z!].map((text) => extended(text, "BTC").id);
  assert.equal(new Set(ids).size, 1);
  const other = reencoded(ACCOUNT, "04b24746", { chainCode: 7 });
  assert.notEqual(extended(other, "BTC").id, ids[0]);
});

const ENCODINGS = {
  xpub: "0488b21e",
  ypub: "049d7cb2",
  zpub: "04b24746",
  tpub: "043587cf",
  upub: "044a5262",
  vpub: "045f1cf6",
  Ltub: "019da462",
  Mtub: "01b26ef6",
};

for (const [name, prefix] of Object.entries(ENCODINGS)) {
  Deno.test(`${name} begins so, and is taken on the networks that it is for`, () => {
    const text = reencoded(ACCOUNT, prefix);
    assert.ok(text.startsWith(name), text);
    for (const preset of ALL) {
      const { isTest, symbol } = PRESETS[preset];
      const isItsOwn = /^[tuv]/.test(name)
        ? isTest
        : !isTest && (symbol === "LTC" || !/^[LM]/.test(name));
      const key = readExtendedKey(text, PRESETS[preset]);
      if (!isItsOwn) assert.equal(key, "other_network", `${name} on ${preset}`);
      else assert.equal(extended(text, preset).script === "p2wpkh", !/^[yuM]/.test(name));
    }
  });
}

Deno.test("an account's key gives the addresses that an independent library gives", () => {
  for (const preset of ALL) {
    for (let seed = 0; seed < 10; seed++) {
      const account = bip32.fromSeed(new Uint8Array(32).fill(seed), {
        ...NETWORKS[preset],
        bip32: PRESETS[preset].isTest ? networks.testnet.bip32 : networks.bitcoin.bip32,
      }).derivePath("m/84'/2'/7'").neutered();
      const key = extended(account.toBase58(), preset);
      for (const index of [0, 1, 19, 2 ** 31 - 1]) {
        const { publicKey } = account.derive(0).derive(index);
        const network = NETWORKS[preset];
        assert.equal(key.addressAt(index), payments.p2wpkh({ pubkey: publicKey, network }).address);
        const redeem = payments.p2wpkh({ pubkey: publicKey, network });
        assert.equal(
          p2shP2wpkhAddress(publicKey, PRESETS[preset]),
          payments.p2sh({ redeem, network }).address,
        );
      }
      assert.throws(() => key.addressAt(2 ** 31));
      assert.throws(() => key.addressAt(-1));
    }
  }
});

// BIP-32, "Test vector 5".
const CONTRADICTORY = [
  "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm",
  "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn",
  "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4",
  "xpub661no6RGEX3uJkY4bNnPcw4URcQTrSibUZ4NqJEw5eBkv7ovTwgiT91XX27VbEXGENhYRCf7hyEbWrR3FewATdCEebj6znwMfQkhRYHRLpJ",
  "xpub661MyMwAuDcm6CRQ5N4qiHKrJ39Xe1R1NyfouMKTTWcguwVcfrZJaNvhpebzGerh7gucBvzEQWRugZDuDXjNDRmXzSZe4c7mnTK97pTvGS8",
  "DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHGMQzT7ayAmfo4z3gY5KfbrZWZ6St24UVf2Qgo6oujFktLHdHY4",
  "xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY",
];

for (const text of CONTRADICTORY) {
  Deno.test(`no extended key: …${text.slice(-8)} of BIP-32`, () => {
    assert.equal(readExtendedKey(text, PRESETS.BTC), "malformed");
  });
}

Deno.test("no extended key: a point that isn't on the curve, a root with a parent", () => {
  const changed = (change: (bytes: Uint8Array) => void) => {
    const bytes = Uint8Array.from(base58check.decode(ACCOUNT));
    change(bytes);
    return readExtendedKey(base58check.encode(bytes), PRESETS.BTC);
  };
  assert.equal(changed((bytes) => bytes.set([2, ...new Uint8Array(31), 7], 45)), "malformed");
  assert.equal(changed((bytes) => bytes[4] = 0), "malformed");
  assert.equal(changed((bytes) => bytes.set([0, 0, 0, 0, 0], 4)), "malformed");
  assert.ok(typeof changed((bytes) => bytes.set(new Uint8Array(9), 4)) !== "string");
});

Deno.test("private keys are told apart from what is no key", () => {
  const root = bip32.fromSeed(new Uint8Array(32).fill(9));
  assert.equal(readExtendedKey(root.toBase58(), PRESETS.BTC), "private");
  for (const prefix of ["049d7878", "04b2430c", "04358394", "044a4e28", "045f18bc", "019d9cfe"]) {
    const text = reencoded(root.toBase58(), prefix);
    assert.equal(readExtendedKey(text, PRESETS["LTC-TEST"]), "private", text);
  }
  for (const text of ["", "zpub", GIVEN[0]!, ACCOUNT.slice(1), ` ${ACCOUNT}`]) {
    assert.equal(readExtendedKey(text, PRESETS.BTC), "malformed");
  }
});

Deno.test("networks are told apart by their first blocks", () => {
  assert.deepEqual(ALL.map((preset) => presetOfGenesis(PRESETS[preset].genesisHash)), ALL);
  assert.equal(presetOfGenesis("00".repeat(32)), undefined);
});

function extended(text: string, preset: BitcoinPreset): ExtendedKey {
  const key = readExtendedKey(text, PRESETS[preset]);
  assert.ok(typeof key !== "string", `${key}`);
  return key;
}

function reencoded(
  text: string,
  prefix: string,
  { chainCode }: { chainCode?: number } = {},
): string {
  const bytes = Uint8Array.from(base58check.decode(text));
  bytes.set(Uint8Array.fromHex(prefix));
  if (chainCode !== undefined) bytes[13] = chainCode;
  return base58check.encode(bytes);
}
