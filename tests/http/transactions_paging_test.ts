import assert from "node:assert/strict";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../src/deposits/rules/transaction_moves.ts";
import { makeNetwork, makeToken } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";
import { insertTransactions, type NewTransaction, setCursor } from "./rows.ts";
import { assertInvalid } from "./withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await makeToken(deps, { network: code, contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" });
}

async function makeListed(rows: readonly Partial<NewTransaction>[]) {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  const add = async (more: readonly Partial<NewTransaction>[]) => {
    const inserted = await insertTransactions(deps, more.map((row) => ({ accountId, ...row })));
    return inserted.map(({ id }) => id);
  };
  return { ...merchant, ids: await add(rows), add, page: pages(api) };
}

function pages(api: Awaited<ReturnType<typeof makeClockedMerchant>>["api"]) {
  return async (query: string) => {
    const { status, body } = await api.get(`/v1/transactions${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data_count, body.data.length);
    const ids: number[] = body.data.map((row: { id: number }) => row.id);
    return { ids, next: body.next_cursor, hasMore: body.has_more };
  };
}

const many = (count: number) => Array.from({ length: count }, () => ({}));

Deno.test("spec 2.6: a transaction row has these fields, while it is in a block and after", async () => {
  const { api, accountId } = await makeListed([]);
  const confirmedAtMs = clock.nowMs() + 61_000;
  const [deposit, sent] = await insertTransactions(deps, [
    {
      accountId,
      currency: "USDT",
      direction: "deposit",
      status: "confirmed",
      amount: "12.000001",
      blockNumber: 95,
      blockHash: "0xb",
      confirmedAtMs,
    },
    { accountId, direction: "withdrawal", amount: "0.000000000000000001" },
  ]);
  await setCursor(deps, { network: "ETH", change: { topHeight: 100, scanHeight: 100 } });
  const created_at = "2026-01-31T12:00:00+00:00";
  const { body } = await api.get("/v1/transactions");
  assert.deepEqual(body.data, [{
    id: sent!.id,
    tx_hash: sent!.txHash,
    direction: "withdrawal",
    status: "detected",
    currency: "ETH",
    network: "ETH",
    from_address: sent!.fromAddress,
    to_address: sent!.toAddress,
    amount_decimal: "0.000000000000000001",
    confirmations: 0,
    block_number: 0,
    created_at,
    confirmed_at: null,
  }, {
    id: deposit!.id,
    tx_hash: deposit!.txHash,
    direction: "deposit",
    status: "confirmed",
    currency: "USDT",
    network: "ETH",
    from_address: deposit!.fromAddress,
    to_address: deposit!.toAddress,
    amount_decimal: "12.000001",
    confirmations: 6,
    block_number: 95,
    created_at,
    confirmed_at: "2026-01-31T12:01:01+00:00",
  }]);
});

Deno.test("contract 1: confirmations = head − block + 1 by each network's head, and 0 in no block", async () => {
  const { api } = await makeListed([
    { network: "ETH", blockNumber: 200, blockHash: "0xa" },
    { network: "BSC", blockNumber: 200, blockHash: "0xa" },
    { network: "BSC", blockNumber: 200, blockHash: null },
  ]);
  await setCursor(deps, { network: "ETH", change: { topHeight: 200, scanHeight: 200 } });
  await setCursor(deps, { network: "BSC", change: { topHeight: 250, scanHeight: 230 } });
  const { body } = await api.get("/v1/transactions");
  const reported = body.data.map((row: { confirmations: number }) => row.confirmations);
  assert.deepEqual(reported, [0, 51, 1]);
});

Deno.test("spec 4.8: rows come newest first, 50 by default", async () => {
  const { ids, page } = await makeListed(many(51));
  const newest = ids.toReversed();
  assert.deepEqual(await page(""), { ids: newest.slice(0, 50), next: ids[1], hasMore: true });
  const rest = await page(`?cursor=${ids[1]}`);
  assert.deepEqual(rest, { ids: [ids[0]], next: null, hasMore: false });
});

Deno.test("spec 4.8: limit may be from 1 to 200", async () => {
  const { ids, page } = await makeListed(many(201));
  const newest = ids.toReversed();
  assert.deepEqual(await page("?limit=1"), { ids: [ids[200]], next: ids[200], hasMore: true });
  assert.deepEqual((await page("?limit=200")).ids, newest.slice(0, 200));
  assert.deepEqual((await page("?limit=199")).ids, newest.slice(0, 199));
});

for (const limit of ["0", "201", "1000000", "-1", "1.5", "1e1", "abc", "", "%2010", "0x10", "+5"]) {
  Deno.test(`spec 4.8: a limit of "${limit}" is 422 and the message names the field`, async () => {
    const { api } = await makeListed([{}]);
    assertInvalid(await api.get(`/v1/transactions?limit=${limit}`), ["limit"]);
  });
}

for (const direction of ["x", "deposits", "", "gas-topup", "deposit,sweep", "detected"]) {
  Deno.test(`spec 4.8: a direction of "${direction}" is 422 and the message names the field`, async () => {
    const { api } = await makeListed([{}]);
    assertInvalid(await api.get(`/v1/transactions?direction=${direction}`), ["direction"]);
  });
}

Deno.test("contract 1: an unknown status or a non-integer cursor is 422 naming the field", async () => {
  const { api } = await makeListed([{}]);
  for (const status of ["x", "", "broadcasted", "settled", "deposit"]) {
    assertInvalid(await api.get(`/v1/transactions?status=${status}`), ["status"]);
  }
  for (
    const cursor of [
      "x",
      "",
      "-",
      "--1",
      "1-",
      "1.5",
      "1e3",
      "null",
      "%20",
      "0x1",
      "Infinity",
      "%D9%A1",
    ]
  ) {
    assertInvalid(await api.get(`/v1/transactions?cursor=${cursor}`), ["cursor"]);
  }
});

Deno.test("spec 4.8, contract 1: a full page has has_more true and the last id as next_cursor", async () => {
  const { ids, page } = await makeListed(many(4));
  assert.deepEqual(await page("?limit=4"), { ids: ids.toReversed(), next: ids[0], hasMore: true });
  const after = await page(`?limit=4&cursor=${ids[0]}`);
  assert.deepEqual(after, { ids: [], next: null, hasMore: false });
});

Deno.test("spec 4.8: if has_more is false next_cursor is null", async () => {
  const { ids, page } = await makeListed(many(3));
  const expected = { ids: ids.toReversed(), next: null, hasMore: false };
  assert.deepEqual(await page("?limit=4"), expected);
  const nothing = await makeListed([]);
  assert.deepEqual(await nothing.page(""), { ids: [], next: null, hasMore: false });
});

Deno.test("spec 4.8: a cursor returns rows with lower ids, whoever's id it is", async () => {
  const { ids, page, add } = await makeListed(many(3));
  await makeListed(many(2));
  ids.push(...await add(many(2)));
  for (const cursor of [ids[0]!, ids[1]!, ids[2]! + 1, ids[3]!, ids[4]! + 1, 999_999_999, 0]) {
    const expected = ids.filter((id) => id < cursor).toReversed();
    assert.deepEqual((await page(`?cursor=${cursor}`)).ids, expected, `cursor ${cursor}`);
  }
});

Deno.test("spec 4.8: every integer is a cursor, however large: rows with lower ids follow", async () => {
  const { ids, page } = await makeListed(many(3));
  const newest = ids.toReversed();
  const large = ["9007199254740991", "9007199254740992", "9223372036854775807", "9".repeat(1_000)];
  for (const cursor of ["1000000000000000", ...large]) {
    assert.deepEqual((await page(`?cursor=${cursor}`)).ids, newest, cursor);
  }
  for (const cursor of ["-1", "-0", `-${"9".repeat(30)}`, "000"]) {
    assert.deepEqual((await page(`?cursor=${cursor}`)).ids, [], cursor);
  }
  assert.deepEqual((await page(`?cursor=${"0".repeat(30)}${ids[1]}`)).ids, [ids[0]]);
});

Deno.test("spec 4.8: rows inserted during a walk don't shift pages: each row is seen exactly once", async () => {
  for (const limit of [1, 2, 3, 7]) {
    const { ids, page, add } = await makeListed(many(13));
    const seen: number[] = [];
    for (let cursor = "";;) {
      const { ids: some, next, hasMore } = await page(`?limit=${limit}${cursor}`);
      seen.push(...some);
      await add(many(2));
      if (!hasMore) break;
      cursor = `&cursor=${next}`;
    }
    assert.deepEqual(seen, ids.toReversed(), `pages of ${limit}`);
  }
});

/** Every combination once: 4 directions, 5 statuses, 2 currencies, 2 networks. */
const ALL = DIRECTIONS.flatMap((direction) =>
  TRANSACTION_STATUSES.flatMap((status) =>
    ["ETH", "USDT"].flatMap((currency) =>
      ["ETH", "BSC"].map((network) => ({ direction, status, currency, network }))
    )
  )
);

const FILTERS: readonly Partial<typeof ALL[number]>[] = [
  ...DIRECTIONS.map((direction) => ({ direction })),
  ...TRANSACTION_STATUSES.map((status) => ({ status })),
  { currency: "USDT" },
  { network: "BSC" },
  { direction: "sweep", status: "confirmed" },
  { currency: "ETH", network: "BSC" },
  { direction: "deposit", status: "swept", currency: "USDT", network: "ETH" },
];

Deno.test("spec 4.8: filters combine with AND", async () => {
  const { ids, page } = await makeListed(ALL);
  for (const filter of FILTERS) {
    const matches = ALL.flatMap((row, i) =>
      Object.entries(filter).every(([field, value]) => row[field as keyof typeof row] === value)
        ? [ids[i]!]
        : []
    ).toReversed();
    const query = new URLSearchParams(filter).toString();
    assert.ok(matches.length > 0);
    assert.deepEqual((await page(`?limit=200&${query}`)).ids, matches, query);
    const part = await page(`?limit=1&${query}&cursor=${matches[0]}`);
    assert.deepEqual(part.ids, matches.slice(1, 2), query);
  }
});

Deno.test("contract 1: codes match in any case, and an unknown one matches nothing", async () => {
  const { ids, page } = await makeListed(ALL);
  const of = (currency: string, network: string) =>
    ids.filter((_, i) => ALL[i]!.currency === currency && ALL[i]!.network === network).toReversed();
  assert.deepEqual((await page("?currency=usdt&network=bsc")).ids, of("USDT", "BSC"));
  assert.deepEqual((await page("?currency=Eth&network=Eth")).ids, of("ETH", "ETH"));
  for (const query of ["currency=NOPE", "network=NOPE", "currency=%25", "network=_TH"]) {
    assert.deepEqual(await page(`?${query}`), { ids: [], next: null, hasMore: false });
  }
});
