import { ECDH } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { invariant } from "../../base/assert.ts";
import { toHex } from "../../base/bytes.ts";
import type { Family } from "../family.ts";
import { checksumAddress } from "./address.ts";
import { EvmHeadSocket } from "./head_socket.ts";
import { LOCAL_CHAINS, TEST_CHAINS } from "./test_chains.ts";

export const evmFamily: Family = {
  name: "evm",
  coinType: 60,
  native: { symbol: "ETH", decimals: 18 },
  testChains: TEST_CHAINS,
  localChains: LOCAL_CHAINS,
  gasPriceUnit: { name: "gwei", decimals: 9 },
  undoubtedPriceRaw: 1_000_000_000n,
  isCheapFor: (feeModel) => feeModel !== "l1",
  usualGas: { coins: 21_000n, tokens: 65_000n },
  // docs/operate.md, "Collecting".
  usualSweeps: {
    alternative: "batch",
    unit: "gas",
    gasSent: 21_000,
    shared: 28_200,
    tokens: {
      single: { first: 32_400, again: 32_400 },
      batch: { first: 30_300, again: 12_300 },
    },
    coins: {
      single: { first: 21_000, again: 21_000 },
      batch: { first: 28_700, again: 11_500 },
    },
    besides: "deploying the contract and releasing addresses",
  },
  gasMax: { coins: 100_000, tokens: 300_000 },
  finality: "none",
  transferLifetimeMs: null,
  hasNonces: true,
  canReplace: true,
  claimOf: ({ sender, nonce }) => ({ claim: `${sender}/${nonce}`, isOnce: true }),
  openHeadSocket: (options) => new EvmHeadSocket(options),
  hasCollectors: true,
  offerIn: async (raw) => {
    const { offerIn } = await import("./transfers/fees.ts");
    return offerIn(raw);
  },
  knowsBalancesAtAnyBlock: true,
  nobody: `0x${"0".repeat(40)}`,
  isAddress,
  canonicalAddress,
  addressOf,
};

/** A wrong checksum is a typo, so mixed case must match exactly. */
function isAddress(text: string): boolean {
  if (/^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/.test(text)) return true;
  return /^0x[0-9a-fA-F]{40}$/.test(text) && checksumAddress(text) === text;
}

function canonicalAddress(text: string): string {
  invariant(isAddress(text), `Not an address: ${text}`);
  return checksumAddress(text);
}

/** Accepts a secp256k1 point in either encoding and throws if it is not on the curve. */
function addressOf(publicKey: Uint8Array): string {
  const point = ECDH.convertKey(publicKey, "secp256k1", undefined, undefined, "uncompressed");
  invariant(point instanceof Uint8Array, "Without an encoding a key comes back as bytes");
  return checksumAddress(`0x${toHex(keccak_256(point.slice(1))).slice(24)}`);
}
