import assert from "node:assert/strict";
import { Commitments, type Unmined } from "../../../src/wallets/funds.ts";
import { seededRandom } from "../../domain/random.ts";

const SEED = 191_121;
const TOKENS = ["0xA", "0xB"];

/** Only one of the bids for a place can be mined, so the most expensive counts. */
function committed(rows: readonly Unmined[], costOf: (row: Unmined) => number): bigint {
  const byPlace = Map.groupBy(rows, ({ place }) => place).values();
  const dearest = byPlace.map((bids) => Math.max(...bids.map(costOf)));
  return BigInt(dearest.reduce((sum, cost) => sum + cost, 0));
}

function costIn(contract: string | null): (row: Unmined) => number {
  return ({ nativeCostMaxRaw, tokens }) =>
    contract === null ? Number(nativeCostMaxRaw) : tokens.filter((one) => one.contract === contract)
      .reduce((sum, { amountRaw }) => sum + Number(amountRaw), 0);
}

Deno.test("incremental sums equal the full sum, with and without the bids of one place (seeded)", () => {
  const { below, pick } = seededRandom(SEED);
  for (let round = 0; round < 50; round++) {
    const rows: Unmined[] = [];
    const commitments = new Commitments([]);
    assert.ok(commitments.isEmpty);
    for (let i = 0; i < 30; i++) {
      const row = {
        place: below(12),
        nativeCostMaxRaw: String(below(1_000)),
        tokens: Array.from({ length: below(4) }, () => ({
          contract: pick(TOKENS),
          amountRaw: String(below(1_000)),
        })),
      };
      rows.push(row);
      commitments.add(row);
      assert.ok(commitments.has(row.place) && !commitments.isEmpty);
      for (const without of [undefined, below(12)]) {
        const others = rows.filter(({ place }) => place !== without);
        for (const contract of [null, ...TOKENS]) {
          const whole = committed(others, costIn(contract));
          const reported = `seed ${SEED}, round ${round}, ${contract} without ${without}`;
          assert.equal(commitments.of(contract, { without }), whole, reported);
          assert.equal(new Commitments(rows).of(contract, { without }), whole, reported);
        }
      }
    }
  }
});
