import assert from "node:assert/strict";
import { type Hex, serializeTransaction } from "viem";
import { InvariantError } from "../../../../src/base/assert.ts";
import type { PriceOptions } from "../../../../src/chains/price.ts";
import { type Fee, type GasPrice, priceGas } from "../../../../src/chains/evm/transfers/fees.ts";
import { unsigned } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { seededRandom } from "../../../domain/random.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";

const to = makeWallet(2).address;

function signedWith(fee: Fee): Hex {
  const detail = { chainId: 56, to, valueRaw: 5n, data: "0x", gas: 21_000n, fee };
  const half = `0x${"5a".repeat(32)}` as const;
  return serializeTransaction(unsigned(detail, 7), { r: half, s: half, v: 27n, yParity: 0 });
}

function priced(asked: GasPrice, options: PriceOptions = {}): Fee {
  const pricing = priceGas(asked, options);
  if (pricing.kind === "refused") throw new Error(pricing.reason);
  return pricing.fee;
}

function tooExpensive(asked: GasPrice, options: PriceOptions): string {
  const pricing = priceGas(asked, options);
  assert.ok(pricing.kind === "refused" && pricing.cause === "too_expensive");
  return pricing.reason;
}

const dynamic = (maxFeeRaw: bigint, tipRaw: bigint): Fee => ({
  kind: "eip1559",
  maxFeeRaw,
  tipRaw,
});
const legacy = (gasPriceRaw: bigint): Fee & GasPrice => ({ kind: "legacy", gasPriceRaw });
const asks = (baseRaw: bigint, tipRaw: bigint): GasPrice => ({ kind: "eip1559", baseRaw, tipRaw });
const capsOf = (fee: Fee) =>
  fee.kind === "legacy" ? [fee.gasPriceRaw, fee.gasPriceRaw] as const : [
    fee.maxFeeRaw,
    fee.tipRaw,
  ] as const;

/** geth wants a higher bid of at least 110 %, rounded down; we bid an eighth more. */
function assertOutbids(fee: Fee, old: Fee, reported: string): void {
  const [maxFee, tip] = capsOf(fee);
  const [oldMaxFee, oldTip] = capsOf(old);
  for (const [now, before] of [[maxFee, oldMaxFee], [tip, oldTip]] as const) {
    assert.ok(now > before, `${reported}: ${now} is above ${before}`);
    assert.ok(now * 8n >= before * 9n, `${reported}: ${now} is an eighth above ${before}`);
  }
  assert.ok(tip <= maxFee, `${reported}: the tip ${tip} is within ${maxFee}`);
}

Deno.test("a replacement raises both prices by an eighth, even those of a few units (hazard 42)", () => {
  const free = asks(0n, 0n);
  for (let maxFee = 0n; maxFee <= 40n; maxFee++) {
    for (let tip = 0n; tip <= maxFee; tip++) {
      const old = dynamic(maxFee, tip);
      const fee = priced(free, { outbids: signedWith(old) });
      assertOutbids(fee, old, `${maxFee}/${tip}`);
    }
    const old = legacy(maxFee);
    assertOutbids(priced(free, { outbids: signedWith(old) }), old, `legacy ${maxFee}`);
    assertOutbids(priced(legacy(0n), { outbids: signedWith(old) }), old, `both legacy ${maxFee}`);
  }
});

Deno.test("a replacement asks for only an eighth more if the market asks for less", () => {
  const outbids = signedWith(dynamic(800n, 80n));
  assert.deepEqual(priced(asks(10n, 1n), { outbids }), dynamic(900n, 90n));
  assert.deepEqual(priced(asks(10n, 99n), { outbids }), dynamic(900n, 99n));
  assert.deepEqual(priced(asks(500n, 1n), { outbids }), dynamic(1_001n, 90n));
  assert.deepEqual(priced(legacy(7n), { outbids: signedWith(legacy(80n)) }), legacy(90n));
  assert.deepEqual(priced(legacy(91n), { outbids: signedWith(legacy(80n)) }), legacy(91n));
  assert.deepEqual(priced(asks(1n, 1n), { outbids: signedWith(legacy(80n)) }), dynamic(90n, 90n));
  assert.deepEqual(priced(legacy(1n), { outbids: signedWith(dynamic(80n, 8n)) }), legacy(90n));
});

Deno.test("the rules of a price hold for any market, replacement and limit", () => {
  const seed = 20_261_121;
  const random = seededRandom(seed);
  const upTo = (max: bigint) => BigInt(random.below(2 ** 40)) * (max + 1n) >> 40n;
  const amount = () => upTo(2n ** BigInt(random.below(70)));
  for (let round = 0; round < 20_000; round++) {
    const isLegacy = random.chance(0.2);
    const asked = isLegacy ? legacy(amount()) : asks(amount(), amount());
    const oldMaxFee = amount();
    const old = random.chance(0.2) ? legacy(oldMaxFee) : dynamic(oldMaxFee, upTo(oldMaxFee));
    const outbids = random.chance(0.5) ? signedWith(old) : undefined;
    const maxRaw = random.chance(0.5) ? amount() : null;
    const reported = `seed ${seed}, round ${round}`;
    const options = { gasPriceMaxRaw: maxRaw, ...outbids === undefined ? {} : { outbids } };
    const pricing = priceGas(asked, options);
    const nowRaw = asked.kind === "legacy" ? asked.gasPriceRaw : asked.baseRaw + asked.tipRaw;
    const leastRaw = outbids === undefined ? 0n : (capsOf(old)[0] * 9n + 7n) / 8n || 1n;
    if (pricing.kind === "refused") {
      assert.ok(maxRaw !== null && (nowRaw > maxRaw || leastRaw > maxRaw), reported);
      continue;
    }
    const [maxFee, tip] = capsOf(pricing.fee);
    assert.equal(pricing.fee.kind, asked.kind, reported);
    assert.ok(maxFee >= nowRaw && tip <= maxFee, reported);
    assert.ok(maxRaw === null || maxFee <= maxRaw, reported);
    if (outbids !== undefined) assertOutbids(pricing.fee, old, reported);
  }
});

Deno.test("a limit first cuts the reserve for a rising base fee, and refuses below the price", () => {
  const asked = asks(40n, 5n);
  assert.deepEqual(priced(asked), dynamic(85n, 5n));
  assert.deepEqual(priced(asked, { gasPriceMaxRaw: null }), dynamic(85n, 5n));
  assert.deepEqual(priced(asked, { gasPriceMaxRaw: 85n }), dynamic(85n, 5n));
  assert.deepEqual(priced(asked, { gasPriceMaxRaw: 84n }), dynamic(84n, 5n));
  assert.deepEqual(priced(asked, { gasPriceMaxRaw: 45n }), dynamic(45n, 5n));
  assert.match(
    tooExpensive(asked, { gasPriceMaxRaw: 44n }),
    /costs 0\.000000045 .* limit is 0\.000000044$/,
  );
  assert.deepEqual(priced(legacy(9n), { gasPriceMaxRaw: 9n }), legacy(9n));
  assert.match(
    tooExpensive(legacy(9n), { gasPriceMaxRaw: 8n }),
    /costs 0\.000000009 .* limit is 0\.000000008$/,
  );
});

Deno.test("a replacement that would exceed the limit is refused", () => {
  const outbids = signedWith(dynamic(80n, 8n));
  const asked = asks(1n, 1n);
  assert.deepEqual(priced(asked, { outbids, gasPriceMaxRaw: 90n }), dynamic(90n, 9n));
  assert.match(
    tooExpensive(asked, { outbids, gasPriceMaxRaw: 89n }),
    /only 0\.00000009 .* limit is 0\.000000089$/,
  );
});

Deno.test("a type of transaction that we never sign isn't replaced", () => {
  const other = serializeTransaction({
    type: "eip2930",
    chainId: 56,
    to: to as Hex,
    gasPrice: 5n,
  });
  assert.throws(() => priceGas(asks(1n, 1n), { outbids: other }), InvariantError);
});
