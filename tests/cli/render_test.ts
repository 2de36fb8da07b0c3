import assert from "node:assert/strict";
import { renderAnswer } from "../../src/operations/screen/render.ts";

Deno.test("one object is a line for each field, whatever the field contains", () => {
  const answer = {
    code: "ETH",
    is_active: true,
    halted_reason: null,
    gaps: [],
    rpc_urls: ["http://a", "http://b"],
    endpoints: [
      { host: "a", reachable: true, last_error: null },
      { host: "b", reachable: false, last_error: "gone\nfor good" },
    ],
    fees: { flat: "1", percent: "0" },
  };
  assert.equal(
    renderAnswer(answer),
    `code:          ETH
is active:     yes
halted reason: -
gaps:          -
rpc urls:      http://a, http://b
endpoints:     host a, reachable yes, last error -; host b, reachable no, last error gone for good
fees:          flat 1, percent 0
`,
  );
});

const ADDRESS = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const COLUMNS = ["id", "address", "message"];
const ROWS = [
  { id: 1, address: ADDRESS, message: "a text of many words that is longer than its room" },
  { id: 23, address: "-", message: "short" },
];

function shown(columns: number | undefined, rows: readonly object[] = ROWS): string[] {
  const screen = { columns, hasColours: false };
  return renderAnswer(rows, { columns: COLUMNS, screen }).trimEnd().split("\n");
}

Deno.test("a table fits the terminal: texts are shortened, an address never", () => {
  const [head, first, second, ...rest] = shown(70);
  assert.equal(head, `ID  ADDRESS${" ".repeat(37)}MESSAGE`);
  assert.equal(first, `1   ${ADDRESS}  a text of many words…`);
  assert.equal(second, `23  -${" ".repeat(43)}short`);
  assert.deepEqual(rest, []);
  for (let columns = 64; columns < 120; columns++) {
    for (const line of shown(columns)) assert.ok(line.length <= columns, `${columns}: ${line}`);
    assert.ok(shown(columns)[1]!.includes(ADDRESS));
  }
});

Deno.test("a table that can't be narrow enough becomes a block for each row", () => {
  assert.deepEqual(shown(60), [
    "id:      1",
    `address: ${ADDRESS}`,
    "message: a text of many words that is longer than its room",
    "",
    "id:      23",
    "address: -",
    "message: short",
  ]);
  assert.deepEqual(shown(40).slice(1, 4), [
    `address: ${ADDRESS}`,
    "message: a text of many words that is",
    "         longer than its room",
  ]);
});

Deno.test("what stands below a table is no wider than the terminal either", () => {
  const names = [
    "id",
    "first_long_name",
    "second_long_name",
    "third_long_name",
    "fourth_long_name",
  ];
  const rows = Array.from({ length: 9 }, (_, id) => ({ id }));
  for (let columns = 36; columns < 90; columns++) {
    const text = renderAnswer(rows, { columns: names, screen: { columns, hasColours: false } });
    for (const line of text.split("\n")) assert.ok(line.length <= columns, `${columns}: ${line}`);
    if (columns > 51 || columns < 38) continue;
    assert.match(text.replaceAll("\n", " "), /A wider terminal, or --json, also shows: third long/);
  }
});

Deno.test("what is no terminal gets everything, however wide, and no colours", () => {
  const [, first] = shown(undefined);
  assert.equal(first, `1   ${ADDRESS}  a text of many words that is longer than its room`);
  const coloured = renderAnswer(ROWS, {
    columns: COLUMNS,
    screen: { columns: 200, hasColours: true },
  });
  assert.ok(coloured.startsWith("\u001b[1mID  ADDRESS"));
  assert.ok(coloured.includes("MESSAGE\u001b[0m\n1   0x"));
});

Deno.test("amounts are never left out of a list to make room", () => {
  const rows = [{ id: 1, holds: ["1.000000000000000001 ETH", "250000.123456 USDT"] }];
  const screen = { columns: 40, hasColours: false };
  assert.equal(
    renderAnswer(rows, { columns: ["id", "holds"], screen }),
    "id:    1\nholds: 1.000000000000000001 ETH,\n       250000.123456 USDT\n",
  );
});

Deno.test("wide characters count twice, and accents on a letter not at all", () => {
  const rows = [{ id: "\u5546\u5e97", address: "a", message: "x" }, {
    id: "e\u0301te\u0301",
    address: "b",
    message: "y",
  }];
  assert.deepEqual(shown(undefined, rows).slice(1), [
    "\u5546\u5e97  a        x",
    "e\u0301te\u0301   b        y",
  ]);
});

Deno.test("of many rows, columns that don't fit are left out as a whole, and named", () => {
  const rows = Array.from(
    { length: 6 },
    (_, i) => ({ id: i, status: "ok", amount: "1.5", hash: ADDRESS }),
  );
  const columns = ["id", "status", "amount", "hash"];
  const screen = { columns: 60, hasColours: false };
  const text = renderAnswer(rows, { columns, screen });
  assert.ok(text.startsWith("ID  STATUS  AMOUNT\n0   ok      1.5\n"));
  assert.ok(text.endsWith("A wider terminal, or --json, also shows: hash.\n"));
  assert.ok(renderAnswer(rows.slice(1), { columns, screen }).startsWith("id:     1\nstatus: ok\n"));
  assert.ok(renderAnswer(rows, { columns }).includes(ADDRESS));
});
