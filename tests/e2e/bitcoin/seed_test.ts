import assert from "node:assert/strict";
import { mnemonicToSeedSync } from "@scure/bip39";
import { BIP32Factory } from "bip32";
import * as bitcoin from "bitcoinjs-lib";
import * as ecc from "tiny-secp256k1";
import { runIn } from "../../cli/world_host.ts";
import { startLitecoinLater } from "../../support/litecoin_world.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { allocate } from "../../support/views.ts";

/** As an independent library writes the network. */
const LTC_REGTEST = { ...bitcoin.networks.regtest, bech32: "rltc", scriptHash: 0x3a };

Deno.test("the recovery phrase has all wallets at BIP-84's paths, by an independent library", async () => {
  await using node = await startLitecoind({ blocks: 1 });
  await using world = await startLitecoinLater(node);
  const { merchant: { api, hotWallet } } = world;
  const given = [];
  for (let i = 0; i < 3; i++) {
    given.push((await allocate(api, { network: "LTC", currency: "LTC" })).address);
  }
  const { out } = await runIn(world, ["seed", "show", "--yes", "--json"]);
  const seed = mnemonicToSeedSync(JSON.parse(out).recovery_phrase);
  const root = BIP32Factory(ecc).fromSeed(seed);
  const at = (path: string) =>
    bitcoin.payments.p2wpkh({
      pubkey: root.derivePath(path).publicKey,
      network: LTC_REGTEST,
    }).address;
  assert.deepEqual(given, [0, 1, 2].map((i) => at(`m/84'/1'/0'/0/${i}`)));
  assert.equal(hotWallet, at("m/84'/1'/1'/0/0"));
});
