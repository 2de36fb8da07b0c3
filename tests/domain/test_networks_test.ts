import assert from "node:assert/strict";
import * as chains from "viem/chains";
import { CATALOGUE } from "../../src/networks/catalogue.ts";
import { aboutCoins, isTestNetwork } from "../../src/networks/test_networks.ts";

const BY_ID = { isTest: null };

/** Some chains have the id of another one's test chain. */
const ALL = Object.values(chains).filter((one) => typeof one === "object" && "id" in one);
const REAL = new Set(ALL.filter((one) => !one.testnet).map(({ id }) => String(id)));
const LOCAL = ["1337", "31337"];

Deno.test("contract 1: every test chain that viem knows is one, and none of its real chains", () => {
  const tests = ALL.filter((one) => one.testnet).map(({ id }) => String(id));
  const unknown = tests.filter((chainId) =>
    !REAL.has(chainId) && !isTestNetwork({ ...BY_ID, chainId })
  );
  assert.deepEqual(unknown, []);
  const wrong = [...REAL].filter((chainId) => isTestNetwork({ ...BY_ID, chainId }));
  assert.deepEqual(wrong.toSorted(), LOCAL);
});

Deno.test("contract 1: Nile, Shasta and local chains are test networks, and presets say whether they are", () => {
  for (const chainId of ["3448148188", "2494104990", "3102885452"]) {
    assert.ok(isTestNetwork({ ...BY_ID, chainId }));
  }
  for (const chainId of [...LOCAL, "11155111", "97"]) {
    assert.ok(isTestNetwork({ ...BY_ID, chainId }));
  }
  const tests = CATALOGUE.filter(({ chainId }) => isTestNetwork({ ...BY_ID, chainId }));
  assert.deepEqual(
    tests.map(({ code }) => code),
    CATALOGUE.map(({ code }) => code).filter((code) => /-(TEST|REGTEST)$/.test(code)),
  );
});

Deno.test("contract 1: a chain that nobody knows is real, and an operator's word beats its chain id", () => {
  assert.ok(!isTestNetwork({ ...BY_ID, chainId: "56000" }));
  assert.ok(isTestNetwork({ ...BY_ID, chainId: "56000", isTest: true }));
  assert.ok(!isTestNetwork({ ...BY_ID, chainId: "31337", isTest: false }));
  const code = "SEPOLIA";
  assert.match(aboutCoins({ ...BY_ID, chainId: "11155111", code }), /^SEPOLIA is a test network/);
  assert.match(aboutCoins({ ...BY_ID, chainId: "56000", code }), /count as money$/);
});
