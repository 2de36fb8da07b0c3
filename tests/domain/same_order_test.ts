import assert from "node:assert/strict";
import { sameBatch, sameOrder } from "../../src/settlement/claim_spend.ts";
import type { FoundSpend } from "../../src/settlement/found_spend.ts";
import { makePayment, makeSigned } from "../store/reads/make_rows.ts";

const [ONE, OTHER, THIRD, WALLET] = ["ltc1one", "ltc1other", "ltc1third", "ltc1wallet"];

const sweep = (id: number, fromAddress: string, amountRaw: string) =>
  makePayment({
    id,
    purpose: "sweep",
    sweepId: 10 * id,
    fromAddress,
    toAddress: WALLET,
    amountRaw,
  });

/** The books signed one transaction of three addresses; the chain has one of these. */
function found(
  gathered: readonly (readonly [from: string, amountRaw: bigint])[],
  { isAllKnown = true } = {},
): FoundSpend {
  const orders = gathered.map(([from, amountRaw]) => ({
    ...{ from, to: WALLET, contract: null, amountRaw },
  }));
  const payments = [sweep(1, ONE, "100"), sweep(2, OTHER, "200"), sweep(3, THIRD, "300")];
  const bids = [{ tx: makeSigned({ id: 1, sender: ONE, paymentCount: 3 }), payments }];
  const sent = {
    ...{ txHash: "ab", raw: "00", sender: gathered[0]![0], nonce: 0 },
    payment: { to: WALLET, contract: null, amountRaw: 50n },
    ...isAllKnown ? { batch: { collector: null, orders, authorizations: [] } } : {},
  };
  const tx = makeSigned({ id: 2, isForeign: true, blockNumber: 5, blockHash: "cd" });
  // What decides about owners doesn't look at the rest.
  const spend = { uses: [{ claim: "ef:0", isOnce: true }] };
  return { bids, sought: payments, spend, sent, tx } as unknown as FoundSpend;
}

function sweepsOf(spend: FoundSpend): (number | null)[] | undefined {
  return sameBatch(spend)?.map(({ owner }) => owner(undefined!, 0).sweepId);
}

Deno.test("what one address gave is that address's sweep, whoever else was to give to the same wallet", () => {
  assert.equal(sameOrder(found([[OTHER, 200n]]))?.sweepId, 20);
  assert.equal(sameOrder(found([[OTHER, 250n]])), undefined, "With a later deposit");
  const ofUnknown = found([[OTHER, 200n]], { isAllKnown: false });
  assert.equal(sameOrder(ofUnknown), undefined, "With an output that the books lack");
  assert.equal(sameOrder(found([["ltc1stranger", 100n]])), undefined);
});

Deno.test("of a sweep that lacks some of its addresses, each of the others has its own", () => {
  assert.deepEqual(sweepsOf(found([[THIRD, 300n], [OTHER, 200n]])), [30, 20]);
  assert.deepEqual(sweepsOf(found([[ONE, 100n], [OTHER, 200n], [THIRD, 300n]])), [10, 20, 30]);
  assert.equal(sweepsOf(found([[THIRD, 300n], ["ltc1stranger", 200n]])), undefined);
  assert.equal(sweepsOf(found([[THIRD, 300n], [THIRD, 300n]])), undefined);
  assert.equal(sameOrder(found([[THIRD, 300n], [OTHER, 200n]])), undefined, "It isn't one payment");
});
