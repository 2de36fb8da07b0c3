import assert from "node:assert/strict";
import { durationText, instantMs, isoUtc } from "../../src/domain/time.ts";
import { seededRandom } from "./random.ts";

const NOON = Date.parse("2026-01-31T12:00:00Z");

for (
  const text of [
    "2026-01-31T12:00:00Z",
    "2026-01-31T12:00:00+00:00",
    "2026-01-31T12:00Z",
    "2026-01-31t12:00:00z",
    "2026-01-31T12:00:00.000000000Z",
    "2026-01-31T12:00:00,0Z",
    "2026-01-31T13:30:00+01:30",
    "2026-01-31T13:30:00+0130",
    "2026-01-31T14:00:00+02",
    "2026-02-01T01:00:00+13:00",
    "2026-01-30T21:00:00-15:00",
    "2026-01-31T12:00:00-00:00",
  ]
) {
  Deno.test(`${text} is noon`, () => assert.equal(instantMs(text), NOON));
}

Deno.test("a date alone is midnight in UTC", () => {
  assert.equal(instantMs("2026-01-31"), NOON - 12 * 3_600_000);
  assert.equal(instantMs("2024-02-29"), Date.parse("2024-02-29T00:00:00Z"));
  assert.equal(instantMs("0001-01-01"), Date.parse("0001-01-01T00:00:00Z"));
});

Deno.test("parts of a millisecond round up: a whole one comes before them or not", () => {
  assert.equal(instantMs("2026-01-31T12:00:00.001Z"), NOON + 1);
  assert.equal(instantMs("2026-01-31T12:00:00.0000001Z"), NOON + 1);
  assert.equal(instantMs("2026-01-31T12:00:00.001000001Z"), NOON + 2);
  assert.equal(instantMs("2026-01-31T12:00:00.9Z"), NOON + 900);
});

for (
  const text of [
    "2025-02-29",
    "2026-00-01",
    "2026-04-31",
    "2026-01-31T12:00:00",
    "2026-01-31T12Z",
    "2026-01-31T25:00Z",
    "2026-01-31T12:00:00+1",
    "2026-01-31T12:00:00 +01:00",
    "+2026-01-31",
    "20260131",
    " 2026-01-31",
    "2026-01-31\n",
    "2026-01-31T12:00:00.1234567890Z",
    "２０２６-01-31",
  ]
) {
  Deno.test(`${JSON.stringify(text)} is no instant`, () =>
    assert.equal(instantMs(text), undefined));
}

Deno.test("what the API writes is read back, in any offset", () => {
  const random = seededRandom(3);
  for (let i = 0; i < 1_000; i++) {
    const ms = random.below(4_000_000_000) * 1000;
    assert.equal(instantMs(isoUtc(ms)), ms);
    const offset = random.below(2 * 1439) - 1439;
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
    const two = (n: number) => String(n).padStart(2, "0");
    const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
    const text = `${local}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
    assert.equal(instantMs(text), ms, text);
  }
});

Deno.test("a duration is written as people type it", () => {
  const texts = { 0: "0s", 1: "1s", 60: "1m", 90: "90s", 3600: "1h", 5400: "90m", 86400: "24h" };
  for (const [seconds, text] of Object.entries({ ...texts, 172800: "2d", 90000: "25h" })) {
    assert.equal(durationText(Number(seconds) * 1000), text);
  }
});
