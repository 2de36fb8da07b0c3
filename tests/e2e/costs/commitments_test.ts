import assert from "node:assert/strict";
import { Commitments, type Unmined } from "../../../src/wallets/funds.ts";
import { seededRandom } from "../../domain/random.ts";

const SEED = 191_121;
const TOKENS = [null, "0xA", "0xB"];

/** Only one of the bids for a nonce can be mined, so the most expensive counts. */
function committed(rows: readonly Unmined[], costOf: (row: Unmined) => string): bigint {
  const byNonce = Map.groupBy(rows, ({ nonce }) => nonce).values();
  const dearest = byNonce.map((bids) => Math.max(...bids.map((bid) => Number(costOf(bid)))));
  return BigInt(dearest.reduce((sum, cost) => sum + cost, 0));
}

Deno.test("incremental sums equal the full sum, with and without the bids of one nonce (seeded)", () => {
  const { below, pick } = seededRandom(SEED);
  for (let round = 0; round < 50; round++) {
    const rows: Unmined[] = [];
    const commitments = new Commitments([]);
    assert.ok(commitments.isEmpty);
    for (let i = 0; i < 30; i++) {
      const row = {
        nonce: below(12),
        contractAddress: pick(TOKENS),
        amountRaw: String(below(1_000)),
        nativeCostMaxRaw: String(below(1_000)),
      };
      rows.push(row);
      commitments.add(row);
      assert.ok(commitments.has(row.nonce) && !commitments.isEmpty);
      for (const without of [undefined, below(12)]) {
        const others = rows.filter(({ nonce }) => nonce !== without);
        for (const contract of TOKENS) {
          const whole = contract === null
            ? committed(others, (it) => it.nativeCostMaxRaw)
            : committed(others.filter((it) => it.contractAddress === contract), (it) =>
              it.amountRaw);
          const reported = `seed ${SEED}, round ${round}, ${contract} without ${without}`;
          assert.equal(commitments.of(contract, { without }), whole, reported);
          assert.equal(new Commitments(rows).of(contract, { without }), whole, reported);
        }
      }
    }
  }
});
