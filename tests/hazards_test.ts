import assert from "node:assert/strict";

/** Every hazard of EVM chains, of TRON (T) and of custody (K), with a test that fails where it is not handled. */
const HAZARDS: Readonly<Record<string, readonly [file: string, name: string]>> = {
  1: ["chains/evm/blocks/reorg_test.ts", "a reorg removes a payment from its block"],
  2: ["chains/evm/blocks/reorg_test.ts", "a reorg at the same height shows in the tip's hash"],
  3: ["chains/evm/blocks/reorg_test.ts", "a payment keeps its hash and position in another block"],
  4: ["e2e/following/reorg_test.ts", "token deposits whose log index changes in a reorganisation"],
  5: ["e2e/following/deep_reorg_test.ts", "a credited deposit that a deep reorganisation replaces"],
  6: ["e2e/restore/resume_test.ts", "a network that was reorganised below its finalized block"],
  7: [
    "e2e/withdrawals/nonces_test.ts",
    "a node behind settled withdrawals causes no error and no reused nonce",
  ],
  8: ["chains/evm/node_faults_test.ts", "a backend that answers no logs loses no deposit"],
  9: ["chains/evm/node_faults_test.ts", "is not believed (hazard 9)"],
  10: [
    "e2e/following/lagging_node_test.ts",
    "with finality required, a deposit is credited only once its block is finalized",
  ],
  11: [
    "e2e/following/lagging_node_test.ts",
    "a finalized tag stuck for hours is ignored: four times the count confirms",
  ],
  12: [
    "e2e/following/detection_test.ts",
    "what a failed transaction would have paid isn't credited, coins or tokens",
  ],
  13: ["e2e/following/detection_test.ts", "only the configured contract's own transfers count"],
  14: [
    "e2e/deposits/covered_deposits_test.ts",
    "a token that logs more than it moved isn't credited, and what is there is",
  ],
  15: [
    "e2e/deposits/covered_deposits_test.ts",
    "a token that keeps a fee per transfer is credited with what arrived at most",
  ],
  16: [
    "chains/evm/blocks/read_blocks_test.ts",
    "a stranger's transfer of nothing from our address",
  ],
  17: ["chains/evm/blocks/read_blocks_test.ts", "every transfer of a transaction has its own row"],
  18: [
    "chains/evm/blocks/traces_test.ts",
    "coins sent by a contract are separate transfers with their own positions",
  ],
  19: [
    "chains/evm/blocks/traces_test.ts",
    "a failed call paid nothing, even if its inner frame shows no error",
  ],
  20: [
    "chains/evm/blocks/traces_test.ts",
    "a delegated call shows its caller's value and pays nobody",
  ],
  21: [
    "chains/evm/blocks/traces_test.ts",
    "a transaction's value and its contract's payments each count once",
  ],
  22: [
    "chains/evm/blocks/traces_test.ts",
    "the log of a coin transfer is never a token's, even if listed as one",
  ],
  23: ["e2e/following/detection_test.ts", "our own wallets' money sent without the gateway"],
  24: ["e2e/sweeps/sweep_test.ts", "an address of this gateway is refused as receiving wallet"],
  25: ["e2e/following/detection_test.ts", "a payment to a deposit address on another network"],
  26: ["chains/evm/wallet_state_test.ts", "the decimals are those of the contract"],
  27: ["e2e/sweeps/sweep_test.ts", "dust waits while fees would take more than a quarter"],
  28: [
    "chains/evm/transfers/drain_test.ts",
    "a receiving contract or delegated account gets the gas",
  ],
  29: [
    "chains/evm/transfers/op_stack_test.ts",
    "a drain that forgets the L1 fee is accepted and vanishes; ours arrives",
  ],
  30: [
    "chains/evm/transfers/price_test.ts",
    "a limit cuts what is offered while the base fee is below it",
  ],
  31: ["e2e/sweeps/sweep_kill_test.ts", "sends gas once and sweeps once after its restart"],
  32: ["e2e/costs/gas_test.ts", "tokens of blacklisted addresses are parked"],
  33: ["e2e/costs/gas_test.ts", "tokens of blacklisted addresses are parked"],
  34: ["e2e/programs/kill_test.ts", "exactly once after its restart"],
  35: [
    "chains/evm/transfers/broadcast_test.ts",
    "a reply that was lost after the node took the bytes",
  ],
  36: [
    "chains/evm/transfers/broadcast_test.ts",
    "a node that has the bytes already has accepted them",
  ],
  37: [
    "chains/evm/transfers/broadcast_test.ts",
    "a mined transaction that is sent again is accepted",
  ],
  38: [
    "e2e/withdrawals/nonces_test.ts",
    "60 withdrawals at once from one wallet use 60 nonces and are all paid",
  ],
  39: [
    "e2e/withdrawals/nonces_test.ts",
    "a nonce that was refused below a waiting one is used by ${closer}",
  ],
  40: [
    "e2e/withdrawals/resend_test.ts",
    "a withdrawal that the pool lost is sent again as the same bytes",
  ],
  41: [
    "e2e/withdrawals/nonces_test.ts",
    "a withdrawal whose nonce another transaction used fails once that is deep",
  ],
  42: [
    "e2e/withdrawals/outbid_test.ts",
    "a bumped withdrawal bids an eighth more for its nonce and is paid once",
  ],
  43: [
    "e2e/withdrawals/outbid_test.ts",
    "the first bid may be mined although a more expensive one was sent",
  ],
  44: [
    "e2e/withdrawals/nonces_test.ts",
    "a withdrawal whose nonce was used in a lost branch is paid after all, once",
  ],
  45: ["e2e/withdrawals/resend_test.ts", "a withdrawal whose transaction reverts on the chain"],
  46: ["e2e/withdrawals/resend_test.ts", "a hot wallet that is drained in the middle of its queue"],
  47: ["e2e/restore/resume_test.ts", "a wallet whose key was used elsewhere signs again"],
  48: ["chains/evm/transfers/broadcast_test.ts", "what an empty wallet sends is rejected"],
  49: [
    "chains/evm/transfers/drain_test.ts",
    "a delegated account is known to have code, and is emptied like any other",
  ],
  50: [
    "chains/evm/identity_test.ts",
    "if no endpoint is right, nothing is asked or sent, and the error names the chain",
  ],
  51: [
    "chains/evm/pool_test.ts",
    "one ${what} of three endpoints changes no answer, with quorum ${quorum}",
  ],
  52: ["chains/evm/node_faults_test.ts", "a rate limit is an error and not an empty block"],
  53: [
    "chains/evm/blocks/read_blocks_test.ts",
    "a native payment is read in full, to the last digit",
  ],
  T1: [
    "chains/tron/broadcast_test.ts",
    "bytes that a node refused are duplicates to it afterwards",
  ],
  T2: [
    "chains/tron/broadcast_test.ts",
    "a node without peers to announce to may mine all the same: nothing is certain",
  ],
  T3: ["chains/tron/broadcast_test.ts", "a lost reply is looked up"],
  T4: [
    "e2e/tron/tron_test.ts",
    "a withdrawal that the nodes forgot is a duplicate until it expires",
  ],
  T5: ["chains/tron/codec_test.ts", "two equal payouts at one moment have different ids"],
  T6: ["chains/tron/broadcast_test.ts", "a reference to a solid block survives a fork"],
  T7: ["e2e/tron/tron_test.ts", "failed transactions, other contracts and TRC-10 of any name"],
  T8: ["chains/tron/read_blocks_test.ts", "a fork between a block and its results is noticed"],
  T9: ["chains/tron/read_blocks_test.ts", "is no empty block"],
  T10: [
    "chains/tron/prepare_transfer_test.ts",
    "an address that was never used costs 1.1 TRX more",
  ],
  T11: [
    "e2e/tron/tron_test.ts",
    "energy that got more expensive after signing burns no more than its limit",
  ],
  T12: ["chains/tron/broadcast_test.ts", "transactions are built here: no node is asked for one"],
  T13: ["e2e/tron/tron_test.ts", "failed transactions, other contracts and TRC-10 of any name"],
  T14: ["e2e/tron/tron_test.ts", "a withdrawal of the wallet to itself is 400"],
  T15: [
    "e2e/tron/surprises_test.ts",
    "a change of the hot wallet's own permissions is reported and stops its key",
  ],
  T16: [
    "chains/tron/outcome_test.ts",
    "expiry goes by the chain's time, whatever the time is here",
  ],
  K1: ["keys/key_ring_test.ts", "an account is hardened"],
  K2: [
    "keys/vault_test.ts",
    "a secret moved to another row doesn't open, and the fault names the row",
  ],
};

const NUMBERS = [
  ...Array.from({ length: 53 }, (_, i) => String(i + 1)),
  ...Array.from({ length: 16 }, (_, i) => `T${i + 1}`),
  "K1",
  "K2",
];

Deno.test("every hazard has its test", () => {
  assert.deepEqual(Object.keys(HAZARDS).toSorted(), NUMBERS.toSorted());
});

for (const [number, [file, name]] of Object.entries(HAZARDS)) {
  Deno.test(`hazard ${number} has a test in ${file}`, async () => {
    const text = await Deno.readTextFile(new URL(file, import.meta.url));
    const names = [...text.matchAll(/Deno\.test\(\s*(["`'])(.*?)\1,/gs)].map(([, , title]) =>
      title!
    );
    const found = names.filter((title) => title.includes(name));
    assert.equal(found.length, 1, `${file} has one test "${name}"`);
    assert.match(found[0]!, new RegExp(`hazards?[^)]*\\b${number}\\b`));
  });
}
