import assert from "node:assert/strict";
import * as chains from "viem/chains";
import { evmFamily } from "../../src/chains/evm/mod.ts";
import { CATALOGUE, NATIVE_DECIMALS } from "../../src/cli/catalogue.ts";

const PUBLISHED: Record<string, chains.Chain> = {
  ETH: chains.mainnet,
  BSC: chains.bsc,
  POLYGON: chains.polygon,
  ARBITRUM: chains.arbitrum,
  BASE: chains.base,
  OPTIMISM: chains.optimism,
  AVALANCHE: chains.avalanche,
};

Deno.test("chain ids and native coins of the catalogue are those that viem publishes", () => {
  assert.deepEqual(CATALOGUE.map(({ code }) => code), Object.keys(PUBLISHED));
  for (const { code, chainId, native } of CATALOGUE) {
    const { id, nativeCurrency } = PUBLISHED[code]!;
    assert.equal(chainId, String(id), code);
    assert.deepEqual({ ...native, decimals: NATIVE_DECIMALS }, nativeCurrency, code);
  }
});

Deno.test("token contracts of the catalogue are canonical and differ from each other", () => {
  const contracts = CATALOGUE.flatMap(({ tokens }) => tokens.map(({ contract }) => contract));
  for (const contract of contracts) {
    assert.ok(evmFamily.isAddress(contract), contract);
    assert.equal(evmFamily.canonicalAddress(contract), contract);
  }
  assert.equal(new Set(contracts).size, contracts.length);
});

Deno.test("stablecoins count in 18 decimals on BSC and in 6 everywhere else", () => {
  for (const { code, tokens } of CATALOGUE) {
    assert.deepEqual(tokens.map(({ symbol }) => symbol), ["USDT", "USDC"]);
    for (const { decimals } of tokens) assert.equal(decimals, code === "BSC" ? 18 : 6, code);
  }
});
