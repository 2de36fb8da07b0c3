import type { Client, InArgs } from "@libsql/client";
import assert from "node:assert/strict";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { accountPage } from "../../../src/accounts/reads/accounts.ts";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { ALERTS } from "../../../src/alerts/list.ts";
import { ALERT_KINDS } from "../../../src/alerts/rules/alert_kinds.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { auditFound } from "../../../src/audit/reads/found.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { customerPage } from "../../../src/customers/reads.ts";
import { DEPOSITS } from "../../../src/deposits/lists/transactions.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { INVOICES } from "../../../src/invoices/lists/invoices.ts";
import { Currencies, Networks } from "../../../src/networks/table.ts";
import { pageOf, rowsOf, type Values } from "../../../src/operations/lists/list.ts";
import { rejectedRequests, type RequestCursor } from "../../../src/request_log/reads.ts";
import { RequestLog } from "../../../src/request_log/table.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { IdSpans } from "../../../src/store/lists/id_spans.ts";
import { hasOne } from "../../../src/store/lists/listing.ts";
import type { Paged, PageOf } from "../../../src/store/lists/order.ts";
import { Secrets } from "../../../src/store/tables/secrets.ts";
import { SWEEPS } from "../../../src/sweeps/list.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { type DeliveryCursor, deliveryPage } from "../../../src/webhooks/reads/deliveries.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { WebhookDeliveries, WebhookEndpoints } from "../../../src/webhooks/tables/webhooks.ts";
import { WITHDRAWALS } from "../../../src/withdrawals/list.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { seededRandom } from "../../domain/random.ts";
import { makeDatabase } from "../databases.ts";
import { planOf } from "../plans/explain.ts";
import { recordStatements } from "../plans/record.ts";
import { listDeps } from "./list_deps.ts";
import { makeRejected } from "./make_requests.ts";
import * as make from "./make_rows.ts";
import { makeAudit } from "./make_users.ts";
import { makeEndpoint } from "./make_webhook_rows.ts";

const ROWS = 150;
const TRIES = 12;
const LIMITS = [1, 3, 20, 1_000];
/** More than a page looks at. */
const INVOICE_COUNT = 9_000;
/** Of ids whose times are known together. */
const ZONE = 1_024;
const NEIGHBOURS = 200;
const random = seededRandom(24);
const maybe = <T>(items: readonly T[]) => random.chance(0.5) ? null : random.pick(items);

const STATUSES = ["detected", "confirmed"] as const;
const PAYOUT_STATUSES = ["pending", "confirmed"] as const;
const STATES = ["waiting", "parked"] as const;
const KINDS = ALERT_KINDS.slice(0, 2);
const NETWORKS = ["ETH", "BSC"];
const CURRENCIES = ["ETH", "USDT"];
const ASSETS = NETWORKS.flatMap((network) => CURRENCIES.map((symbol) => ({ network, symbol })));

/** Neighbours, and gaps so wide that a page can't look across all: 20,000 is a multiple of one. */
const ids = Array.from({ length: ROWS }, (_, i) => 500 * Math.floor(i / 2) + i % 2 + 1);
const some = ids.map((id) => ({
  id,
  accountId: random.pick([1, 2]),
  network: random.pick(NETWORKS),
  currency: random.pick(CURRENCIES),
  status: random.pick(STATUSES),
  payoutStatus: random.pick(PAYOUT_STATUSES),
  state: random.pick(STATES),
  isBelowMinimum: random.chance(0.5),
  kind: random.pick(KINDS),
  open: random.chance(0.5) ? 1 as const : null,
}));
type Some = typeof some[number];

async function fill(db: Db): Promise<void> {
  await db.write({
    reads: [],
    decide: (view) => {
      for (const id of [1, 2]) view.insertKeyed(Accounts, { ...make.accountFields(), id });
      for (const code of NETWORKS) {
        view.insertKeyed(Networks, make.makeNetwork(code, "g"));
        for (const symbol of CURRENCIES) {
          const contract = symbol === "USDT" ? "0xC" : null;
          view.insertKeyed(Currencies, { ...make.makeCurrency(symbol, contract), network: code });
        }
      }
      view.insertKeyed(Secrets, { name: "api key", sealed: "" });
      view.insertKeyed(
        ApiKeys,
        make.makeApiKey({ keyId: "k1", permissions: [], revokedAtMs: null }),
      );
      const own = { accountId: 1, purpose: "deposit" as const };
      view.insertKeyed(Addresses, make.makeAddress({ id: 1, ...own }));
      for (const id of [1, 2, 3]) {
        view.insertKeyed(WebhookEndpoints, makeEndpoint({ id, accountId: id === 3 ? 2 : 1 }));
      }
      for (const { id, accountId, network, currency, ...row } of some) {
        const asset = { accountId, network, currency };
        const { status, isBelowMinimum, state, payoutStatus, kind, open } = row;
        view.insertKeyed(
          Transactions,
          make.makeTransaction({ id, ...asset, status, isBelowMinimum, createdAtMs: id }),
        );
        const paid = { ...asset, amount: "1", fee: "0", status: payoutStatus };
        view.insertKeyed(
          Withdrawals,
          make.makeWithdrawal({ id, ...paid, clientReference: `r${id}`, requestedAtMs: id }),
        );
        view.insertKeyed(Sweeps, make.makeSweep({ id, ...asset, state, open: null }));
        view.insertKeyed(Alerts, make.makeAlert({ id, kind, open, subject: `s${id}` }));
        view.insertKeyed(
          Addresses,
          make.makeAddress({ id: id + 1, accountId, network, userIdentifier: `u${id}` }),
        );
        view.insertKeyed(RequestLog, makeRejected({ id, accountId, atMs: id % 7, code: kind }));
        view.insertKeyed(
          AuditLog,
          makeAudit({ id, actor: kind, subject: network, action: `${state}.x`, atMs: id }),
        );
        view.insertKeyed(Events, make.makeEvent({ id, accountId, payload: {} }));
      }
    },
  });
  // Each event is to be delivered to all webhooks of its account.
  await db.execute([
    { sql: "UPDATE webhook_deliveries SET state = 'dead' WHERE (event_id + endpoint_id) % 3 = 0" },
    { sql: "DELETE FROM webhook_deliveries WHERE (event_id + endpoint_id) % 4 = 0" },
  ]);
  await db.execute([{
    sql: `INSERT INTO invoices (id, account_id, key_id, token, amount, currency,
  tolerance_percent, methods, metadata, reference, status, customer, expires_at_ms, created_at_ms)
SELECT value ->> 0, value ->> 1, 'k', 't' || (value ->> 0), '1', 'EUR', '0', '[]', '{}',
  value ->> 2, value ->> 3, value ->> 4, 1, value ->> 5
FROM json_each(?)`,
    args: [JSON.stringify(
      invoices.map(({ id, accountId, reference, status, customer, createdAtMs }) => [
        ...[id, accountId, reference, status, customer, createdAtMs],
      ]),
    )],
  }]);
}

/** So many of other times in between that one page can't look at all that are of one time. */
const invoices = Array.from({ length: INVOICE_COUNT }, (_, i) => {
  const id = i < NEIGHBOURS ? i + 1 : 7 * i + 3;
  const isAtEdge = i < NEIGHBOURS ? i % 5 === 0 : id % ZONE === 0;
  return {
    id,
    accountId: 1,
    reference: random.pick(["A-1", "a-2", "b"]),
    status: isAtEdge || random.chance(0.003) ? "paid" as const : "open" as const,
    customer: isAtEdge || i < NEIGHBOURS ? "c" : random.pick(["c", "d"]),
    createdAtMs: 1_000 * (Math.floor(id / ZONE) % 2) + random.below(500),
  };
});

interface Walked<Cursor> {
  readonly keys: readonly string[];
  readonly next: Cursor | null;
}

type Read<Cursor> = (
  paged: { cursor: Cursor | null; isOldestFirst: boolean; limit: number },
) => Promise<Walked<Cursor>>;

/** Page after page gives every row once, in either order. */
async function assertTurns<Cursor>(
  read: Read<Cursor>,
  { name, newest, limit = random.pick(LIMITS) }: {
    name: string;
    newest: readonly string[];
    limit?: number;
  },
): Promise<void> {
  for (const isOldestFirst of [false, true]) {
    const keys: string[] = [];
    let pages = 0;
    for (let cursor: Cursor | null = null;;) {
      const found: Walked<Cursor> = await read({ cursor, isOldestFirst, limit });
      assert.ok(found.keys.length <= limit, name);
      keys.push(...found.keys);
      cursor = found.next;
      if (cursor === null) break;
      assert.ok(++pages < 20_000, `${name}: no end`);
    }
    assert.deepEqual(keys, isOldestFirst ? newest.toReversed() : newest, `${name} by ${limit}`);
  }
}

type Ids = readonly { readonly id: number }[];

const keysOf = (rows: Ids): string[] => rows.map(({ id }) => String(id));
const newestOf = (rows: Ids): string[] => keysOf(rows.toSorted((a, b) => b.id - a.id));

const paged =
  (read: (paged: Paged) => Promise<PageOf<{ id: number }>>): Read<number> => async (asked) => {
    const { rows, next } = await read(asked);
    return { keys: keysOf(rows), next };
  };
/** One row more than is shown says that there are more. */
const listed = (read: (paged: Paged) => Promise<Ids>): Read<number> => async (asked) => {
  const rows = await read({ ...asked, limit: asked.limit + 1 });
  const shown = rows.slice(0, asked.limit);
  return { keys: keysOf(shown), next: rows.length > asked.limit ? shown.at(-1)!.id : null };
};

/** Rows that have all that was asked for. */
function holding<Row extends object>(
  rows: readonly Row[],
  wanted: { readonly [Name in keyof Row]?: Row[Name] | null },
): Row[] {
  return rows.filter((row) =>
    Object.entries(wanted).every(([name, value]) =>
      value === null || row[name as keyof Row] === value
    )
  );
}

const during = (rows: readonly Some[], { fromMs, untilMs }: { fromMs: number; untilMs: number }) =>
  rows.filter(({ id }) => id >= fromMs && id < untilMs);

function randomTime() {
  const fromMs = random.below(60_000);
  return { fromMs, untilMs: fromMs + random.below(60_000) };
}

const timesOf = ({ fromMs, untilMs }: { fromMs: number; untilMs: number }) => ({
  from: fromMs,
  until: untilMs,
});

/** Nulls aren't asked for. */
function valuesOf(asked: Readonly<Record<string, string | number | boolean | null>>): Values {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null)) as Values;
}

/** The same statement in either order. */
const ofEither = (text: string) =>
  text.replace(/\b(ASC|DESC)\b/g, "ORDER").replace(/\b(min|max)\(/gi, "edge(")
    .replace(/coalesce\(\(SELECT edge( \+ 1)? FROM reached\), \?\)/g, "?").replace(/[<>]/g, "<");

/** The database looks at as few rows in one order as in the other. */
async function assertSamePlans(
  client: Client,
  statements: ReadonlyMap<string, InArgs>,
): Promise<void> {
  const plans = new Map<string, string[]>();
  for (const [sql, args] of statements) {
    if (!/\bORDER BY\b/.test(sql)) continue;
    const plan = (await planOf(client, { sql, args })).map(ofEither).toSorted().join("; ");
    plans.set(ofEither(sql), [...plans.get(ofEither(sql)) ?? [], plan]);
  }
  const turned = [...plans].filter(([, both]) => both.length > 1);
  for (const [sql, both] of turned) assert.equal(new Set(both).size, 1, `${sql}: ${both}`);
  assert.ok(turned.length > plans.size - 5, `${turned.length} of ${plans.size}`);
}

Deno.test("any list, filtered at random, gives every row once, newest or oldest first", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await fill(db);
  using recording = recordStatements();
  const spans = new IdSpans();
  const deps = listDeps(db, { networks: NETWORKS, coins: ASSETS });
  for (let i = 0; i < TRIES; i++) {
    const account = { accountId: maybe([1, 2]) };
    const asset = { network: maybe(NETWORKS), currency: maybe(CURRENCIES) };
    const time = randomTime();
    const check = (what: string, read: Read<number>, rows: Ids) =>
      assertTurns(read, { name: `${what} ${i}`, newest: newestOf(rows) });

    const moved = { ...account, ...asset, status: maybe(STATUSES) };
    const below = random.chance(0.3) || null;
    await check(
      "payments",
      paged((it) => {
        const { accountId, ...filters } = moved;
        const values = valuesOf({ ...filters, below, ...timesOf(time) });
        return rowsOf(deps, DEPOSITS, { ...it, accountId, values });
      }),
      holding(during(some, time), { ...moved, isBelowMinimum: below }),
    );

    const { network } = asset;
    const payoutStatus = maybe(PAYOUT_STATUSES);
    const values = valuesOf({ ...asset, status: payoutStatus, ...timesOf(time) });
    await check(
      "payouts",
      paged((it) => rowsOf(deps, WITHDRAWALS, { ...it, ...account, values })),
      holding(during(some, time), { ...account, ...asset, payoutStatus }),
    );

    const state = maybe(STATES);
    const addresses = random.chance(0.3) ? [hasOne("address_id", [1])] : [];
    await check(
      "sweeps",
      paged((it) => {
        const values = valuesOf({ ...asset, state });
        return pageOf(deps, SWEEPS, { ...it, ...account, values, facts: addresses });
      }),
      holding(some, { ...account, ...asset, state }),
    );

    const [kind, open] = [maybe(KINDS), random.chance(0.5) || null];
    await check(
      "alerts",
      paged((it) =>
        pageOf(deps, ALERTS, { ...it, accountId: null, values: valuesOf({ kind, open }) })
      ),
      holding(some, { kind, open: open && 1 }),
    );

    const customers = holding(some, account).map(({ id }) => ({ id: id + 1 }));
    await check("customers", listed((it) => customerPage(db, { ...it, ...account })), customers);
    await check("accounts", listed((it) => accountPage(db, it)), [{ id: 1 }, { id: 2 }]);

    const [actor, subject] = [kind, network];
    const actions = state && [`${state}.x`];
    const search = { spans, actor, subject, account: null, actions, ...time };
    await check(
      "audit log",
      paged((it) => auditFound(db, { ...it, ...search })),
      holding(during(some, time), { kind, network, state }),
    );
  }
  await assertSamePlans(database.client(), new Map(recording.statements));
});

Deno.test("more invoices than a page looks at give every one once, newest or oldest first", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await fill(db);
  const deps = listDeps(db, { networks: [], coins: [] });
  for (
    const [time, holds] of [[{}, () => true], [
      { from: 0, until: 500 },
      ({ createdAtMs }: { createdAtMs: number }) => createdAtMs < 500,
    ]] as const
  ) {
    const rare = { status: "paid", customer: "c" } as const;
    const [values, found] = [{ ...rare, ...time }, holding(invoices.filter(holds), rare)];
    assert.ok(found.length > 3);
    const newest = newestOf(found);
    const name = `invoices ${JSON.stringify(time)}`;
    for (const accountId of [1, null]) {
      const read = (more: Values) =>
        paged((it) => pageOf(deps, INVOICES, { ...it, accountId, values: { ...values, ...more } }));
      for (const limit of LIMITS) await assertTurns(read({}), { name, newest, limit });
      const begin = found.filter(({ reference }) => /^a-/i.test(reference));
      const beginning = { name: `${name} beginning`, newest: newestOf(begin) };
      await assertTurns(read({ beginning: "a-" }), beginning);
    }
  }
});

Deno.test("deliveries and rejected requests, which have two-part cursors, turn round, too", async () => {
  await using database = await makeDatabase("an embedded file");
  const db = await database.open();
  await fill(db);
  const deliveries = await db.rows(
    WebhookDeliveries,
    "ORDER BY event_id DESC, endpoint_id DESC",
  );
  const requests = await db.rows(RequestLog, "ORDER BY at_ms DESC, id DESC");
  for (let i = 0; i < TRIES; i++) {
    const [accountId, state] = [maybe([1, 2]), maybe(["pending", "dead"] as const)];
    const endpointId = maybe([1, 2, 3]);
    const to = endpointId !== null ? [endpointId] : accountId === 1 ? [1, 2] : [3];
    const isAll = endpointId === null && accountId === null;
    const wanted = deliveries.filter((row) =>
      (isAll || to.includes(row.endpointId)) && (state ?? row.state) === row.state
    );
    const newest = wanted.map((row) => `${row.eventId}-${row.endpointId}`);
    await assertTurns<DeliveryCursor>(async (it) => {
      const asked = { ...it, accountId, endpointId, state };
      const { rows, next } = await deliveryPage(db, asked);
      return { keys: rows.map((row) => `${row.eventId}-${row.endpointId}`), next };
    }, { name: `deliveries ${i}`, newest });

    const code = maybe(KINDS);
    const filter = { accountId: 1, fromMs: 2, untilMs: 6, keyId: null, code, path: null };
    const rejected = requests.filter(({ atMs, ...row }) =>
      row.accountId === 1 && atMs >= 2 && atMs < 6 && (code ?? row.code) === row.code
    );
    await assertTurns<RequestCursor>(async (it) => {
      const rows = await rejectedRequests(db, { ...it, ...filter, limit: it.limit + 1 });
      const shown = rows.slice(0, it.limit);
      return { keys: keysOf(shown), next: rows.length > it.limit ? shown.at(-1)! : null };
    }, { name: `requests ${i}`, newest: keysOf(rejected) });
  }
});
