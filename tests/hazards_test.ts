import assert from "node:assert/strict";

/** Every hazard of EVM chains, of TRON (T) and of custody (K), with a test that fails where it is not handled. */
const HAZARDS: Readonly<Record<string, readonly [file: string, name: string]>> = {
  1: ["chains/evm/blocks/reorg_test.ts", "a reorg takes a payment out of its block again"],
  2: ["chains/evm/blocks/reorg_test.ts", "a reorg at the same height shows in the tip's hash"],
  3: ["chains/evm/blocks/reorg_test.ts", "a payment keeps its hash and position in another block"],
  4: ["e2e/following/reorg_test.ts", "token deposits whose log index changes in a reorganisation"],
  5: ["e2e/following/deep_reorg_test.ts", "a credited deposit that a deep reorganisation replaces"],
  6: ["e2e/restore/resume_test.ts", "a network that was reorganised below its finalized block"],
  7: ["e2e/withdrawals/nonces_test.ts", "a node that lags behind settled withdrawals"],
  8: ["chains/evm/node_faults_test.ts", "a backend that answers no logs loses no deposit"],
  9: ["chains/evm/node_faults_test.ts", "is not believed (hazard 9)"],
  10: [
    "e2e/following/lagging_node_test.ts",
    "a network that asks for finality credits a deposit only once",
  ],
  11: [
    "e2e/following/lagging_node_test.ts",
    "a finalized tag that stands still for hours decides nothing",
  ],
  12: [
    "e2e/following/detection_test.ts",
    "what a failed transaction would have paid is not credited",
  ],
  13: ["e2e/following/detection_test.ts", "only the configured contract's own transfers count"],
  14: ["e2e/deposits/covered_deposits_test.ts", "a token that tells of more than it moved"],
  15: ["e2e/deposits/covered_deposits_test.ts", "a token that keeps a fee of each transfer"],
  16: [
    "chains/evm/blocks/read_blocks_test.ts",
    "a stranger's transfer of nothing from our address",
  ],
  17: [
    "chains/evm/blocks/read_blocks_test.ts",
    "every transfer of one transaction is a row of its own",
  ],
  18: ["chains/evm/blocks/traces_test.ts", "coins that a contract sent are transfers of its own"],
  19: ["chains/evm/blocks/traces_test.ts", "what a failed call paid was not paid"],
  20: ["chains/evm/blocks/traces_test.ts", "a delegated call shows the value of its caller"],
  21: [
    "chains/evm/blocks/traces_test.ts",
    "what a transaction carries and what its contract pays on",
  ],
  22: ["chains/evm/blocks/traces_test.ts", "the log of a coin's movement is never a token's"],
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
    "an emptying that forgets the L1 fee is accepted and vanishes",
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
  38: ["e2e/withdrawals/nonces_test.ts", "60 withdrawals at once from one wallet take 60 nonces"],
  39: ["e2e/withdrawals/nonces_test.ts", "a nonce that was refused below one that is waiting"],
  40: [
    "e2e/withdrawals/resend_test.ts",
    "a withdrawal that the pool lost is sent again as the same bytes",
  ],
  41: [
    "e2e/withdrawals/nonces_test.ts",
    "a withdrawal whose nonce another transaction of the wallet took",
  ],
  42: [
    "e2e/withdrawals/outbid_test.ts",
    "a bumped withdrawal bids an eighth more for the same nonce",
  ],
  43: [
    "e2e/withdrawals/outbid_test.ts",
    "the first bid may be mined although a dearer one was sent",
  ],
  44: [
    "e2e/withdrawals/nonces_test.ts",
    "a withdrawal whose nonce was taken in a branch that lost",
  ],
  45: ["e2e/withdrawals/resend_test.ts", "a withdrawal whose transaction reverts on the chain"],
  46: ["e2e/withdrawals/resend_test.ts", "a hot wallet that is drained in the middle of its queue"],
  47: ["e2e/restore/resume_test.ts", "a wallet whose key was used elsewhere signs again"],
  48: ["chains/evm/transfers/broadcast_test.ts", "what an empty wallet sends is rejected"],
  49: ["chains/evm/transfers/drain_test.ts", "a delegated account is told to have code"],
  50: ["chains/evm/identity_test.ts", "where no endpoint is right, nothing is asked or sent"],
  51: ["chains/evm/pool_test.ts", "changes no answer, with a quorum of"],
  52: ["chains/evm/node_faults_test.ts", "a rate limit is an error and not an empty block"],
  53: [
    "chains/evm/blocks/read_blocks_test.ts",
    "a native payment is read in full, to the last digit",
  ],
  T1: [
    "chains/tron/broadcast_test.ts",
    "bytes that a node refused are duplicates to it afterwards",
  ],
  T2: ["chains/tron/broadcast_test.ts", "a node that found nobody to tell may mine all the same"],
  T3: ["chains/tron/broadcast_test.ts", "a lost reply is looked up"],
  T4: [
    "e2e/tron/tron_test.ts",
    "a withdrawal that the nodes forgot is a duplicate to them until it expires",
  ],
  T5: ["chains/tron/codec_test.ts", "two equal payouts of one moment have ids of their own"],
  T6: ["chains/tron/broadcast_test.ts", "a reference to a solid block survives a fork"],
  T7: ["e2e/tron/tron_test.ts", "failed transactions, other contracts and TRC-10 of any name"],
  T8: ["chains/tron/read_blocks_test.ts", "a fork between a block and its results is noticed"],
  T9: ["chains/tron/read_blocks_test.ts", "is no empty block"],
  T10: [
    "chains/tron/prepare_transfer_test.ts",
    "an address that was never used costs 1.1 TRX more",
  ],
  T11: ["e2e/tron/tron_test.ts", "energy that grew dearer after it was signed"],
  T12: ["chains/tron/broadcast_test.ts", "what is signed is made here"],
  T13: ["e2e/tron/tron_test.ts", "failed transactions, other contracts and TRC-10 of any name"],
  T14: ["e2e/tron/tron_test.ts", "a withdrawal of the wallet to itself is 400"],
  T15: [
    "e2e/tron/surprises_test.ts",
    "a change of the hot wallet's own permissions is told at once",
  ],
  T16: ["chains/tron/outcome_test.ts", "expiry is the chain's time, whatever the time is here"],
  K1: ["keys/key_ring_test.ts", "an account is hardened"],
  K2: ["keys/vault_test.ts", "a secret moved to another row does not open"],
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
  Deno.test(`hazard ${number} is met by a test of ${file}`, async () => {
    const text = await Deno.readTextFile(new URL(file, import.meta.url));
    const names = [...text.matchAll(/Deno\.test\(\s*(["`'])(.*?)\1,/gs)].map(([, , told]) => told!);
    const found = names.filter((told) => told.includes(name));
    assert.equal(found.length, 1, `${file} has one test "${name}"`);
    assert.match(found[0]!, new RegExp(`hazards?[^)]*\\b${number}\\b`));
  });
}
