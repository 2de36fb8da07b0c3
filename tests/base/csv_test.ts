import assert from "node:assert/strict";
import { csvCell } from "../../src/base/csv.ts";

const FORMULAS = [
  ...["=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "﹦1"],
  ...[" =1+1", "\u200b=1+1", "\ufeff=1", "\u00a0\u00a0=1", "\u0000=1", "\u3164=1", "\u034f=1"],
  ...[
    "|=1",
    "\\|=1",
    "\\=1",
    "a;=1",
    "a; =1",
    "a|\u200b=1",
    "a\t=1",
    "a\r\n \u2060=1",
    "\t=1",
    "\tx",
  ],
];

/** Reads a cell as a program does that splits at any separator and cuts off what nobody sees. */
function beginnings(cell: string): string[] {
  const text = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
  return text.split(/[;|\\\t\r\n]/)
    .map((part) => part.replace(/^[\s\p{C}\p{Default_Ignorable_Code_Point}]+/u, ""));
}

Deno.test("no cell of text begins like a formula, wherever a program splits it", () => {
  for (const text of FORMULAS) {
    const cell = csvCell(text);
    assert.ok(cell.includes("'"), JSON.stringify(cell));
    assert.ok(beginnings(cell).every((one) => !/^[=+\-@＝＋－＠﹦﹢﹣﹫]/.test(one)), cell);
    assert.equal(csvCell(text).replaceAll(/["']/g, ""), text);
  }
});

Deno.test("an apostrophe stands where the formula would begin", () => {
  assert.equal(csvCell("=1"), "'=1");
  assert.equal(csvCell(" =1+1"), "' =1+1");
  assert.equal(csvCell("\u200b=1+1"), "'\u200b=1+1");
  assert.equal(csvCell("|=1"), "|'=1");
  assert.equal(csvCell("a; =1"), '"a;\' =1"');
});

Deno.test("amounts, times, addresses and usual words stay as they are", () => {
  for (const number of ["-2.5", "0", "1000000.000001"]) {
    assert.equal(csvCell(number, { isNumber: true }), number);
  }
  const usual = [
    "2026-01-31T12:00:00+00:00",
    "0xAb-1",
    "ann@acme.com",
    "a-b",
    "x=1",
    "two  words ",
  ];
  for (const text of usual) assert.equal(csvCell(text), text);
  assert.equal(csvCell("Shoes, - 10 %"), '"Shoes, - 10 %"');
  assert.equal(csvCell(""), '""');
  assert.equal(csvCell(null), "");
  assert.equal(csvCell(["a", "b"]), '"a,b"');
});

Deno.test("a long cell of separators and blanks is looked through once", () => {
  const text = `${"\t ".repeat(100_000)}=1`;
  const startMs = performance.now();
  assert.ok(csvCell(text).endsWith("' =1\""));
  assert.ok(performance.now() - startMs < 2_000);
});
