import { present } from "../../base/assert.ts";
import { KEY_BRANCHES } from "../../wallets/rules/key_path.ts";
import type { ChainRules } from "../rules.ts";
import { canonicalAddress, dustLimit, p2wpkhAddress, readAddress } from "./addresses.ts";
import { type BitcoinNetwork, type BitcoinPreset, DECIMALS, PRESETS } from "./params.ts";
import { keyNames, keyOfId, readExtendedKey } from "./extended_keys.ts";

const BECH32 = "[02-9ac-hj-np-z]";
const BASE58 = "[1-9A-HJ-NP-Za-km-z]";

/** Each network writes its addresses in its own way. */
export const BITCOIN_RULES: Readonly<Record<BitcoinPreset, ChainRules>> = {
  "BTC": rulesFor(PRESETS.BTC),
  "LTC": rulesFor(PRESETS.LTC),
  "BTC-TEST": rulesFor(PRESETS["BTC-TEST"]),
  "LTC-TEST": rulesFor(PRESETS["LTC-TEST"]),
  "BTC-REGTEST": rulesFor(PRESETS["BTC-REGTEST"]),
  "LTC-REGTEST": rulesFor(PRESETS["LTC-REGTEST"]),
};

function rulesFor(network: BitcoinNetwork): ChainRules {
  const { name, symbol, coinType, hrp, base58Starts, uriScheme } = network;
  const witness = `${hrp}1(?:q${BECH32}{38}|[qp]${BECH32}{58})`;
  const base58 = `[${base58Starts}]${BASE58}{25,34}`;
  const bech32 = new RegExp(`\\b${witness}\\b`);
  return {
    name,
    native: { symbol, decimals: DECIMALS },
    isAddress: (text) => readAddress(text, network) !== undefined,
    canonicalAddress: (text) => canonicalAddress(text, network),
    addressForm: new RegExp(`^(?:${witness}|${inUpperCase(hrp)}|${base58})$`),
    looksWhole: new RegExp(`^(?:(?:${hrp}|${hrp.toUpperCase()})1[0-9A-Za-z]{36,62}|${base58})$`),
    addressStart: new RegExp(`^(?:${hrp}1[qp]|[${base58Starts}])`, "i"),
    nobody: null,
    bip: 84,
    coinType,
    // One account for each purpose: so wallets restore all of it by looking ahead.
    keysFor: ({ purpose }) => ({ coinType, account: KEY_BRANCHES[purpose], branch: GIVEN_OUT }),
    addressOf: (publicKey) => p2wpkhAddress(publicKey, network),
    dustRaw: (address) => {
      const { script } = present(
        readAddress(address, network),
        "Our addresses are of this network",
      );
      return dustLimit(script, network);
    },
    extendedKeys: {
      names: keyNames(network),
      read: (text) => readExtendedKey(text, network),
      of: (key) => keyOfId(key, network),
    },
    // BIP-21.
    paymentUri: ({ address, amount }) => `${uriScheme}:${address}?amount=${amount}`,
    // BIP-173: upper case for codes; readers take both.
    inCode: (text) => text.replace(bech32, (address) => address.toUpperCase()),
  };
}

/** Of BIP-84, the addresses that are given to payers, and none for change. */
const GIVEN_OUT = 0;

function inUpperCase(hrp: string): string {
  const letter = "[02-9AC-HJ-NP-Z]";
  return `${hrp.toUpperCase()}1(?:Q${letter}{38}|[QP]${letter}{58})`;
}
