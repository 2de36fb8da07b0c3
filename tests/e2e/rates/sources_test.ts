import assert from "node:assert/strict";
import { forgetRates, hasRates, rateOf, RATES, SOURCE_ADDED } from "../../../src/rates/current.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { listRates, listSources } from "../../../src/rates/list.ts";
import { removeSource } from "../../../src/rates/manage.ts";
import type { NewSource } from "../../../src/rates/sources/kinds.ts";
import { RateSources } from "../../../src/rates/table.ts";
import { endMissingRates } from "../../../src/rates/watch.ts";
import { RateReader } from "../../../src/rates/worker.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { holdEverything } from "../../../src/upkeep/leases.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { makeNetwork } from "../../support/gateway.ts";
import { IN_REAL, makePriced, manual, PAIR, type Priced } from "./_priced.ts";

const EURO = { base: "EUR", quote: "USD" };
const FEED = "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419";

async function openAlerts({ deps }: Priced): Promise<string[]> {
  const rows = await deps.db.rows(Alerts, "WHERE open = 1 ORDER BY id");
  return rows.map(({ kind, subject }) => `${kind} ${subject}`);
}

Deno.test("prices that operators set make rates, crossed through USD, until they are removed", async () => {
  await using priced = await makePriced();
  const { deps } = priced;
  assert.equal(await priced.value(), null);
  const first = await priced.add(manual("3000"));
  const second = await priced.add(manual("3030"));
  await priced.add(manual("1.2", { base: "eur", quote: "usd" }));
  assert.equal(await priced.value(), "3015");
  assert.equal((await rateOf(deps, { base: "eth", quote: "EUR", world: "real" }))?.value, "2512.5");
  assert.deepEqual(await listRates(deps), [
    {
      ...PAIR,
      isTest: false,
      rate: { value: "3015", atMs: priced.clock.ms, sources: 2 },
      sources: 2,
    },
    {
      ...EURO,
      isTest: false,
      rate: { value: "1.2", atMs: priced.clock.ms, sources: 1 },
      sources: 1,
    },
  ]);
  assert.deepEqual(
    await Promise.all(["usd", "EUR", "ETH", "GBP"].map((symbol) => hasRates(deps, symbol))),
    [true, true, true, false],
  );
  await removeSource(deps, { id: first, actor: "user:1" });
  assert.equal(await priced.value(), "3030");
  const log = await deps.db.list(AuditLog, { subject: "rates" });
  const removed = log.find(({ action }) => action === "rate_source.removed")!;
  assert.equal(removed.actor, "user:1");
  const { before, after } = removed.detail as { before: { value: string }; after: unknown };
  assert.deepEqual([before.value, after], ["3000", null]);
  await removeSource(deps, { id: second, actor: "test" });
  assert.equal(await priced.value(), null);
});

Deno.test("another program uses a new price within a second, and after a restart at once", async () => {
  await using priced = await makePriced();
  const other = await priced.open();
  await priced.add(manual("3000"));
  assert.equal(await priced.value(other), "3000");
  await priced.add(manual("3010"));
  assert.equal(await priced.value(), "3005");
  assert.equal(await priced.value(other), "3000");
  priced.clock.ms += 1_000;
  assert.equal(await priced.value(other), "3005");
  assert.equal(await priced.value(await priced.open()), "3005");
});

Deno.test("rates asked for at once and again within a second cost no query each", async () => {
  await using priced = await makePriced();
  await priced.add(manual("3000"));
  let queries = 0;
  const { db } = priced.deps;
  const counted = { ...db, rows: ((...asked) => (queries++, db.rows(...asked))) as typeof db.rows };
  const deps = { ...priced.deps, db: counted };
  await Promise.all(Array.from({ length: 100 }, () => rateOf(deps, IN_REAL)));
  const once = queries;
  assert.ok(once > 0 && once < 10, `${once} queries`);
  priced.clock.ms += 999;
  for (let i = 0; i < 100; i++) await rateOf(deps, IN_REAL);
  assert.equal(queries, once);
});

const WRONG: readonly [source: NewSource, code: string][] = [
  [manual("0"), "rate_value_wrong"],
  [manual("1".repeat(61)), "rate_value_wrong"],
  [manual("1", { base: "usd", quote: "USD" }), "rate_pair_same"],
  [{ ...PAIR, kind: "chainlink", network: "NONE", feed: FEED, maxAgeMs: 1 }, "network_unknown"],
  [{ ...PAIR, kind: "chainlink", network: "ETH", feed: "0x12", maxAgeMs: 1 }, "address_wrong"],
  [
    { ...PAIR, kind: "http", url: "https://u:p@x.com", pointer: "", maxAgeMs: 1 },
    "rate_url_refused",
  ],
  [
    { ...PAIR, kind: "http", url: "https://x.com", pointer: "a", maxAgeMs: 1 },
    "rate_pointer_wrong",
  ],
];

Deno.test("sources that can't work are refused", async () => {
  await using priced = await makePriced();
  await makeNetwork(priced.deps, { rpcUrls: ["http://127.0.0.1:9"] });
  for (const [source, code] of WRONG) {
    const refused = (error: unknown) => error instanceof ActionRefused && error.code === code;
    await assert.rejects(priced.add(source), refused, JSON.stringify(source));
  }
  await assert.rejects(removeSource(priced.deps, { id: 1, actor: "test" }), ActionRefused);
  assert.deepEqual(await listSources(priced.deps), []);
});

Deno.test("a source of a kind that this version doesn't know has no price, and can be removed", async () => {
  await using priced = await makePriced();
  const { deps } = priced;
  await priced.add(manual("3000"));
  const id = await priced.add(manual("3000", { base: "BTC", quote: "USD" }));
  const row = (await deps.db.find(RateSources, [id]))!;
  const later = { ...row, kind: "later", value: null, url: "https://x.com/", maxAgeMs: 60_000 };
  await deps.db.write({
    reads: [read(RateSources, [id])],
    decide: (view) => {
      view.atOnce("a later version did").update(RateSources, row, later);
      const detail = { source_id: id, before: row, after: later };
      const said = { actor: "test", action: SOURCE_ADDED, subject: RATES, detail } as const;
      recordAudit(view, { ...said, nowMs: view.nowMs });
    },
  });
  forgetRates(deps);
  assert.equal(await priced.value(), "3000");
  assert.deepEqual(
    (await listSources(deps)).map(({ kind, readAs, price }) => [kind, readAs, price?.value]),
    [["manual", null, "3000"], ["later", null, undefined]],
  );
  const reader = new RateReader(deps, holdEverything(deps));
  await reader.look();
  await reader.idle();
  assert.equal((await removeSource(deps, { id, actor: "test" }))?.kind, "later");
});

interface Attack {
  readonly sql: string;
  readonly value: string | null;
  readonly alert: string;
}

const COPY = `INSERT INTO rate_sources
SELECT id, base, quote, kind, value, network, feed, url, pointer, max_age_ms, created_at_ms, seal
FROM kept WHERE id = 1`;
const ATTACKS: Readonly<Record<string, Attack>> = {
  "a price is changed": {
    sql: "UPDATE rate_sources SET value = '9' WHERE id = 2",
    value: null,
    alert: "tampered rate_sources:2",
  },
  "a source is added": {
    sql: `INSERT INTO rate_sources
SELECT 9, base, quote, kind, '9', network, feed, url, pointer, max_age_ms, created_at_ms, seal
FROM rate_sources WHERE id = 2`,
    value: "3010",
    alert: "tampered rate_sources:9",
  },
  "a removed source is put back": { sql: COPY, value: "3010", alert: "tampered rate_sources:1" },
  "a source is deleted": {
    sql: "DELETE FROM rate_sources WHERE id = 2",
    value: null,
    alert: "tampered rate_sources:all",
  },
};

for (const [attack, { sql, value, alert }] of Object.entries(ATTACKS)) {
  Deno.test(`no rate is moved by somebody with only the database: ${attack}`, async () => {
    await using priced = await makePriced();
    const { deps } = priced;
    await priced.add(manual("5"));
    await deps.db.execute([{ sql: "CREATE TABLE kept AS SELECT * FROM rate_sources" }]);
    await priced.add(manual("3010"));
    await removeSource(deps, { id: 1, actor: "test" });
    assert.equal(await priced.value(), "3010");
    await deps.db.execute([{ sql }]);
    priced.clock.ms += 1_000;
    assert.equal(await priced.value(), value);
    assert.equal(await priced.value(await priced.open()), value);
    assert.ok((await openAlerts(priced)).includes(alert), `${await openAlerts(priced)}`);
    // An operator sets it right by removing what was touched.
    await removeSource(deps, { id: 2, actor: "test" });
    await priced.add(manual("3020"));
    assert.equal(await priced.value(), "3020");
  });
}

Deno.test("a rate that something wants and doesn't get is one alert, which ends with the next rate", async () => {
  await using priced = await makePriced();
  for (let i = 0; i < 5; i++) assert.equal(await priced.value(), null);
  await endMissingRates(priced.deps);
  assert.deepEqual(await openAlerts(priced), ["rate_missing rate:ETH/USD"]);
  await priced.add(manual("3000"));
  await endMissingRates(priced.deps);
  assert.deepEqual(await openAlerts(priced), []);
});
