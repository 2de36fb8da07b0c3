import assert from "node:assert/strict";
import { RECENT_PERIODS, recentPeriod } from "../../../src/domain/money/period.ts";

const iso = (atMs: number | null) => new Date(atMs!).toISOString().slice(0, 10);

Deno.test("recent periods are whole days and months in UTC, on every kind of day", () => {
  const cases = {
    "2026-11-23T14:05:06.789Z": {
      today: "2026-11-23 2026-11-24",
      yesterday: "2026-11-22 2026-11-23",
      "last-7-days": "2026-11-17 2026-11-24",
      "this-month": "2026-11-01 2026-12-01",
      "last-month": "2026-10-01 2026-11-01",
    },
    "2027-01-01T00:00:00.000Z": {
      today: "2027-01-01 2027-01-02",
      yesterday: "2026-12-31 2027-01-01",
      "last-7-days": "2026-12-26 2027-01-02",
      "this-month": "2027-01-01 2027-02-01",
      "last-month": "2026-12-01 2027-01-01",
    },
    "2028-03-31T23:59:59.999Z": {
      today: "2028-03-31 2028-04-01",
      yesterday: "2028-03-30 2028-03-31",
      "last-7-days": "2028-03-25 2028-04-01",
      "this-month": "2028-03-01 2028-04-01",
      "last-month": "2028-02-01 2028-03-01",
    },
  } as const;
  for (const [now, expected] of Object.entries(cases)) {
    for (const name of RECENT_PERIODS) {
      const { fromMs, untilMs } = recentPeriod(name, Date.parse(now));
      assert.equal(`${iso(fromMs)} ${iso(untilMs)}`, expected[name], `${name} at ${now}`);
    }
  }
});
