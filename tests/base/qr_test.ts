import assert from "node:assert/strict";
import { qrCode } from "../../src/base/qr.ts";

type Grid = readonly (readonly boolean[])[];

/** Version 1-M of "01234567" in bytes: its format bits, by the table of ISO/IEC 18004. */
const FORMATS_M = [
  "101010000010010",
  "101000100100101",
  "101111001111100",
  "101101101001011",
  "100010111111001",
  "100000011001110",
  "100111110010111",
  "100101010100000",
];

function formatOf(grid: Grid): string {
  const first = [0, 1, 2, 3, 4, 5, 7, 8].map((x) => grid[8]![x]);
  const rest = [7, 5, 4, 3, 2, 1, 0].map((y) => grid[y]![8]);
  return [...first, ...rest].map((isDark) => isDark ? "1" : "0").join("");
}

/** Reads a code of one block, up to version 3, as a phone would: nothing of the encoder is used. */
function decode(grid: Grid): string {
  const size = grid.length;
  const mask = FORMATS_M.indexOf(formatOf(grid));
  const isData = (x: number, y: number) => {
    const isFinder = (x < 9 && y < 9) || (x > size - 9 && y < 9) || (x < 9 && y > size - 9);
    const isAlignment = size > 21 && Math.abs(x - (size - 7)) <= 2 && Math.abs(y - (size - 7)) <= 2;
    return !isFinder && !isAlignment && x !== 6 && y !== 6;
  };
  const flips: ((x: number, y: number) => boolean)[] = [
    (x, y) => (x + y) % 2 === 0,
    (_, y) => y % 2 === 0,
    (x) => x % 3 === 0,
    (x, y) => (x + y) % 3 === 0,
    (x, y) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
    (x, y) => (x * y) % 2 + (x * y) % 3 === 0,
    (x, y) => ((x * y) % 2 + (x * y) % 3) % 2 === 0,
    (x, y) => ((x + y) % 2 + (x * y) % 3) % 2 === 0,
  ];
  let bits = "";
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right--;
    for (let i = 0; i < size; i++) {
      const y = isUp ? size - 1 - i : i;
      for (const x of [right, right - 1]) {
        if (isData(x, y)) bits += grid[y]![x] !== flips[mask]!(x, y) ? "1" : "0";
      }
    }
  }
  assert.equal(bits.slice(0, 4), "0100", "bytes");
  const length = parseInt(bits.slice(4, 12), 2);
  const bytes = Array.from(
    { length },
    (_, i) => parseInt(bits.slice(12 + 8 * i, 20 + 8 * i), 2),
  );
  assertNoErrors(bits);
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** A block without errors is zero at the powers of two, whichever way it was made. */
function assertNoErrors(bits: string): void {
  const [total, checks] = { 208: [26, 10], 359: [44, 16], 567: [70, 26] }[bits.length]!;
  const logs = new Map<number, number>();
  const powers: number[] = [];
  for (let i = 0, value = 1; i < 255; i++) {
    powers.push(value);
    logs.set(value, i);
    value = value < 128 ? value * 2 : value * 2 ^ 0x11d;
  }
  const words = Array.from(
    { length: total! },
    (_, i) => parseInt(bits.slice(8 * i, 8 * i + 8), 2),
  );
  for (let power = 0; power < checks!; power++) {
    const sum = words.reduce((total, word, i) => {
      if (word === 0) return total;
      return total ^ powers[(logs.get(word)! + power * (words.length - 1 - i)) % 255]!;
    }, 0);
    assert.equal(sum, 0, `the check at power ${power}`);
  }
}

for (const text of ["CPG", "a QR code ✓", "0x52908400098527886E0F7030069857D2E4169EE7"]) {
  Deno.test(`"${text}" is read back from its code, and its check bytes fit`, () => {
    assert.equal(decode(qrCode(text)), text);
  });
}

Deno.test("a text that needs the version's own bits and several blocks has them where they belong", () => {
  const grid = qrCode("otpauth://totp/CPG:someone@example.com?secret=".padEnd(130, "A"));
  assert.equal(grid.length, 49);
  const version = [...Array(18).keys()].reverse().map((i) =>
    grid[Math.floor(i / 3)]![grid.length - 11 + i % 3] ? "1" : "0"
  ).join("");
  assert.equal(version, "001000010110111100", "version 8");
});

Deno.test("what no code can hold is refused", () => {
  assert.throws(() => qrCode("x".repeat(667)), /too many/);
  assert.equal(qrCode("x".repeat(666)).length, 97);
});
