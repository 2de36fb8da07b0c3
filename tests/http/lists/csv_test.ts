import assert from "node:assert/strict";
import { recordAudit } from "../../../src/books/records.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeNetwork, type Merchant } from "../../support/gateway.ts";
import {
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "../clocked_gateway.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock, url } = gateway;
await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
const HEAD =
  "id,network,currency,kind,amount,held_amount,balance_after,held_after,transaction_id,withdrawal_id,note,created_at,value,held_value,value_currency,client_reference,invoice_id,tx_hash";

const NO_VALUE = { value: null, valueCurrency: null };

/** A merchant with entries, each with its note. */
async function makeBooked(notes: readonly (string | null)[]) {
  const merchant = await makeClockedMerchant(gateway);
  return { ...merchant, ids: await book(merchant, notes) };
}

async function book(merchant: Merchant, notes: readonly (string | null)[]): Promise<number[]> {
  return await deps.db.write({
    reads: [],
    decide: (view) => {
      recordAudit(view, { actor: "test", action: "note.added", subject: "test", nowMs: 0 });
      return notes.map((note) =>
        view.insert(LedgerEntries, {
          accountId: merchant.accountId,
          network: "ETH",
          currency: "ETH",
          kind: "adjust",
          amount: "-0.50001",
          balanceAfter: "-0.50001",
          heldAfter: "0",
          transactionId: null,
          withdrawalId: null,
          note,
          createdAtMs: clock.nowMs(),
          ...note === "" ? { value: "-1.25", valueCurrency: "EUR" } : NO_VALUE,
        }).id
      );
    },
  });
}

function ask({ credentials }: Merchant, query = "", accept = "text/csv"): Promise<Response> {
  const target = `/v1/ledger${query}`;
  const signed = signedHeaders(credentials, {
    method: "GET",
    target,
    timestamp: timestampOf(clock),
  });
  return fetch(url + target, { headers: { ...signed, accept } });
}

async function refusalOf(answer: Promise<Response>) {
  const { status, headers, ...reply } = await answer.then(async (one) => ({
    status: one.status,
    headers: one.headers,
    body: await one.json(),
  }));
  return { status, headers, ...reply };
}

Deno.test("a CSV has the fields' names, amounts as they are, and an empty place for null", async () => {
  const merchant = await makeBooked([null, "", `say "hi", you\r\nthere`]);
  const reply = await ask(merchant);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.ok(reply.headers.has("x-request-id") && reply.headers.has("ratelimit"));
  const [a, b, c] = merchant.ids;
  const line = (id: number, note: string, value = ",,") =>
    `${id},ETH,ETH,adjust,-0.50001,0,-0.50001,0,,,${note},2026-01-31T12:00:00+00:00,${value},,,\r\n`;
  const lines = [
    `${HEAD}\r\n`,
    line(c!, `"say ""hi"", you\r\nthere"`),
    line(b!, `""`, "-1.25,0,EUR"),
    line(a!, ""),
  ];
  assert.equal(await reply.text(), lines.join(""));
});

Deno.test("text that a spreadsheet would run gets an apostrophe, wherever a cell may begin", async () => {
  const hard = ["=1+1", "+5", "-2", "@SUM(A1)", "\t=1", "a;=1", "＝1", "a=1", "1-2"];
  const merchant = await makeBooked(hard);
  const text = await (await ask(merchant)).text();
  const notes = text.split("\r\n").slice(1, -1).map((line) => line.split(",").slice(10, -7).join());
  assert.deepEqual(notes.toReversed(), [
    "'=1+1",
    "'+5",
    "'-2",
    "'@SUM(A1)",
    `"'\t'=1"`,
    `"a;'=1"`,
    "'＝1",
    "a=1",
    "1-2",
  ]);
});

Deno.test("a CSV has all rows of the filters, in the order of the pages", async () => {
  const merchant = await makeBooked(Array.from({ length: 2_345 }, (_, i) => String(i)));
  const text = await (await ask(merchant, "?kind=adjust&network=eth")).text();
  const ids = text.split("\r\n").slice(1, -1).map((line) => Number(line.split(",")[0]));
  assert.deepEqual(ids, merchant.ids.toReversed());
  assert.equal(await (await ask(merchant, "?kind=hold")).text(), `${HEAD}\r\n`);
});

Deno.test("a CSV with limit or cursor, or a wrong filter, is a 422 that names it", async () => {
  const merchant = await makeBooked([]);
  assertInvalid(await refusalOf(ask(merchant, "?limit=5")), ["limit"]);
  assertInvalid(await refusalOf(ask(merchant, "?cursor=5&limits=1")), ["cursor", "limits"]);
  assertInvalid(await refusalOf(ask(merchant, "?kind=gift&from=now")), ["kind", "from"]);
});

for (
  const [accept, isCsv] of [
    ["text/csv", true],
    ["TEXT/CSV; charset=utf-8", true],
    ["application/json;q=0.5, text/csv", true],
    ["text/csv;q=0.9, */*;q=0.1", true],
    ["application/json, text/csv;q=0.5", false],
    ["text/csv;q=0", false],
    ["*/*", false],
    ["application/json", false],
    ["text/html", false],
  ] as const
) {
  Deno.test(`Accept: ${accept} is answered with ${isCsv ? "CSV" : "JSON"}`, async () => {
    const reply = await ask(await makeBooked([]), "", accept);
    const type = isCsv ? "text/csv" : "application/json";
    assert.ok(reply.headers.get("content-type")!.startsWith(type));
    await reply.body?.cancel();
  });
}

Deno.test("a key reads one CSV at a time, and the next once that is over or given up", async () => {
  const [merchant, other] = [await makeBooked(LONG), await makeBooked([])];
  const first = await ask(merchant);
  const busy = await refusalOf(ask(merchant));
  assertRefused(busy, "rate_limited");
  assert.equal(busy.headers.get("retry-after"), "5");
  assert.equal((await ask(other)).status, 200);
  assert.equal((await merchant.api.get("/v1/ledger")).status, 200);
  await first.body!.cancel();
  await free(merchant);
  assert.equal((await (await ask(merchant)).text()).split("\r\n").length, LONG.length + 2);
  await (await ask(merchant)).text();
});

/** More than a socket takes at once. */
const LONG = Array.from({ length: 4_000 }, () => "x".repeat(4_000));

async function free(merchant: Merchant): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const reply = await ask(merchant);
    await reply.body?.cancel();
    if (reply.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

Deno.test("a HEAD request for a CSV leaves it to the next request", async () => {
  const merchant = await makeBooked(["first"]);
  const [method, target] = ["HEAD", "/v1/ledger"];
  const asked = { method, target, timestamp: timestampOf(clock) };
  const signed = signedHeaders(merchant.credentials, asked);
  const reply = await fetch(url + target, { method, headers: { ...signed, accept: "text/csv" } });
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.equal(await reply.text(), "");
  assert.match(await (await ask(merchant)).text(), /,first,/);
});

Deno.test("a fault after the first rows cuts the connection off, and the key can try again", async () => {
  const merchant = await makeBooked(["old"]);
  // Somebody else's row, without a seal.
  await deps.db.execute([{
    sql: `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after,
  held_after, created_at_ms)
VALUES (?, 'ETH', 'ETH', 'adjust', '1', '1', '0', 1)`,
    args: [merchant.accountId],
  }]);
  await book(merchant, Array.from({ length: 1_500 }, () => "new"));
  for (let tries = 0; tries < 2; tries++) {
    const reply = await ask(merchant);
    assert.equal(reply.status, 200);
    await assert.rejects(reply.text());
  }
  assert.ok(gateway.logged.some((line) => line.includes("a CSV was cut off")));
});

Deno.test("without the permission, a CSV is refused like any list", async () => {
  const merchant = await makeClockedMerchant(gateway, { permissions: ["list_currencies"] });
  const message = "Missing permission: read_balance";
  assertRefused(await refusalOf(ask(merchant)), "permission_denied", message);
});
