import assert from "node:assert/strict";
import * as chains from "viem/chains";
import { rulesOf } from "../../src/chains/registry.ts";
import { CATALOGUE, coinName, networkName } from "../../src/networks/catalogue.ts";

const PUBLISHED: Record<string, chains.Chain> = {
  ETH: chains.mainnet,
  BSC: chains.bsc,
  POLYGON: chains.polygon,
  ARBITRUM: chains.arbitrum,
  BASE: chains.base,
  OPTIMISM: chains.optimism,
  AVALANCHE: chains.avalanche,
  TRX: chains.tron,
};

Deno.test("chain ids and native coins of the catalogue are those that viem publishes", () => {
  // It knows no chains of outputs: their first blocks are checked by tests of the family.
  const known = CATALOGUE.filter(({ family }) => family !== "bitcoin");
  assert.deepEqual(known.map(({ code }) => code), Object.keys(PUBLISHED));
  for (const { code, chainId, native, family } of known) {
    const { id, nativeCurrency } = PUBLISHED[code]!;
    assert.equal(chainId, String(id), code);
    assert.deepEqual(
      { ...native, decimals: rulesOf({ family, chainId }).native.decimals },
      nativeCurrency,
      code,
    );
  }
});

Deno.test("token contracts of the catalogue are canonical and differ from each other", () => {
  const contracts = CATALOGUE.flatMap((preset) =>
    preset.tokens.map(({ contract }) => {
      const rules = rulesOf(preset);
      assert.ok(rules.isAddress(contract), contract);
      assert.equal(rules.canonicalAddress(contract), contract);
      return contract;
    })
  );
  assert.equal(new Set(contracts).size, contracts.length);
});

Deno.test("stablecoins have 18 decimals on BSC and 6 everywhere else", () => {
  for (const { code, tokens, family } of CATALOGUE) {
    const symbols = { evm: ["USDT", "USDC"], tron: ["USDT"], bitcoin: [] }[family];
    assert.deepEqual(tokens.map(({ symbol }) => symbol), symbols);
    for (const { decimals } of tokens) assert.equal(decimals, code === "BSC" ? 18 : 6, code);
  }
});

Deno.test("a network is called what payers know it by, unless an operator has named it", () => {
  const named = (code: string, contractAddress: string | null, name?: string) => {
    const preset = CATALOGUE.find((one) => one.code === code)!;
    return networkName({ ...preset, ...name ? { name } : {} }, { contractAddress });
  };
  assert.equal(named("TRX", "T"), "Tron (TRC20)");
  assert.equal(named("ETH", "0x"), "Ethereum (ERC20)");
  assert.equal(named("BSC", "0x"), "BNB Smart Chain (BEP20)");
  assert.equal(named("BASE", "0x"), "Base");
  assert.equal(named("OPTIMISM", "0x"), "Optimism");
  assert.equal(named("ETH", null), "Ethereum");
  assert.equal(named("OPTIMISM", null, "My node"), "My node");
  const local = { family: "evm", chainId: "31337", name: "Local" } as const;
  assert.equal(networkName(local, { contractAddress: "0x" }), "Local");
});

Deno.test("a coin is named with its network, but a chain's own isn't called ETH (Ethereum)", () => {
  const coins = [["ETH", "USDT"], ["ETH", "ETH"], ["OPTIMISM", "ETH"], ["TRX", "USDT"], ["X", "Y"]];
  assert.deepEqual(
    coins.map(([network = "", currency = ""]) => coinName({ network, currency }, CATALOGUE)),
    ["USDT (Ethereum)", "ETH", "ETH (Optimism)", "USDT (Tron)", "Y (X)"],
  );
});
