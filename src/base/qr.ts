/** QR codes of ISO/IEC 18004: bytes, error correction level M, up to version 20. */
const VERSION_MAX = 20;
const LEVEL_M = 0;
const CHECK_BYTES = [
  10,
  16,
  26,
  18,
  24,
  16,
  18,
  22,
  22,
  26,
  30,
  22,
  22,
  24,
  24,
  28,
  28,
  26,
  26,
  26,
];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];

type Grid = boolean[][];

/** Rows of dark modules, without the quiet zone around them. */
export function qrCode(text: string): readonly (readonly boolean[])[] {
  const data = new TextEncoder().encode(text);
  const version = fittingVersion(data.length);
  const codewords = interleave(dataCodewords(data, version), version);
  const frame = drawFrame(version);
  const candidates = Array.from({ length: 8 }, (_, mask) => {
    const grid = frame.grid.map((row) => [...row]);
    drawData(grid, { isFixed: frame.isFixed, codewords, mask });
    drawFormat(grid, mask);
    return { grid, penalty: penaltyOf(grid) };
  });
  return candidates.reduce((best, it) => it.penalty < best.penalty ? it : best).grid;
}

function fittingVersion(bytes: number): number {
  for (let version = 1; version <= VERSION_MAX; version++) {
    if (4 + lengthBits(version) + 8 * bytes <= 8 * dataBytes(version)) return version;
  }
  throw new RangeError(`${bytes} bytes are too many for a QR code`);
}

function lengthBits(version: number): number {
  return version < 10 ? 8 : 16;
}

function allBytes(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const patterns = Math.floor(version / 7) + 2;
    modules -= (25 * patterns - 10) * patterns - 55;
  }
  if (version >= 7) modules -= 36;
  return modules >> 3;
}

function dataBytes(version: number): number {
  return allBytes(version) - CHECK_BYTES[version - 1]! * BLOCKS[version - 1]!;
}

function dataCodewords(data: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const push = (value: number, length: number) => {
    for (let i = length - 1; i >= 0; i--) bits.push(value >> i & 1);
  };
  push(4, 4);
  push(data.length, lengthBits(version));
  for (const byte of data) push(byte, 8);
  const capacity = 8 * dataBytes(version);
  push(0, Math.min(4, capacity - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  for (let pad = 0xec; bits.length < capacity; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from(
    { length: capacity / 8 },
    (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((byte, bit) => byte << 1 | bit, 0),
  );
}

/** Blocks with their check bytes, woven into one row: short blocks come first. */
function interleave(data: readonly number[], version: number): number[] {
  const [count, checks] = [BLOCKS[version - 1]!, CHECK_BYTES[version - 1]!];
  const shortLength = Math.floor(data.length / count);
  const shortCount = count - data.length % count;
  const divisor = generator(checks);
  let at = 0;
  const blocks = Array.from({ length: count }, (_, i) => {
    const block = data.slice(at, at += shortLength + (i < shortCount ? 0 : 1));
    return { block, check: remainder(block, divisor) };
  });
  const woven: number[] = [];
  for (let i = 0; i <= shortLength; i++) {
    for (const { block } of blocks) if (i < block.length) woven.push(block[i]!);
  }
  for (let i = 0; i < checks; i++) for (const { check } of blocks) woven.push(check[i]!);
  return woven;
}

function generator(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let i = 0; i < degree; i++) {
    for (let j = 0; j < degree; j++) {
      result[j] = multiply(result[j]!, root) ^ (result[j + 1] ?? 0);
    }
    root = multiply(root, 2);
  }
  return result;
}

function remainder(block: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0);
  for (const byte of block) {
    const factor = byte ^ result.shift()!;
    result.push(0);
    divisor.forEach((coefficient, i) => result[i]! ^= multiply(coefficient, factor));
  }
  return result;
}

/** In the field of 256 elements over x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let i = 7; i >= 0; i--) {
    product = product << 1 ^ (product >> 7) * 0x11d;
    product ^= (b >> i & 1) * a;
  }
  return product;
}

/** All that is not data: finders, timing, alignment, version, and room for the format. */
function drawFrame(version: number): { grid: Grid; isFixed: Grid } {
  const size = 4 * version + 17;
  const grid = blank(size);
  const isFixed = blank(size);
  const set = (x: number, y: number, isDark: boolean) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return;
    grid[y]![x] = isDark;
    isFixed[y]![x] = true;
  };
  for (let i = 0; i < size; i++) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  const square = (cx: number, cy: number, { reach, light }: { reach: number; light: number[] }) => {
    for (let dy = -reach; dy <= reach; dy++) {
      for (let dx = -reach; dx <= reach; dx++) {
        set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
      }
    }
  };
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]] as const) {
    square(x, y, { reach: 4, light: [2, 4] });
  }
  const centres = alignmentCentres(version);
  const last = centres.length - 1;
  centres.forEach((x, i) =>
    centres.forEach((y, j) => {
      const isFinder = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!isFinder) square(x, y, { reach: 2, light: [1] });
    })
  );
  const format = formatCells(size);
  for (const [x, y] of format.flat()) set(x, y, false);
  set(8, size - 8, true);
  if (version >= 7) drawVersion(version, size, set);
  return { grid, isFixed };
}

function drawVersion(
  version: number,
  size: number,
  set: (x: number, y: number, isDark: boolean) => void,
): void {
  let rest = version;
  for (let i = 0; i < 12; i++) rest = rest << 1 ^ (rest >> 11) * 0x1f25;
  const bits = version << 12 | rest;
  for (let i = 0; i < 18; i++) {
    const [a, b] = [size - 11 + i % 3, Math.floor(i / 3)];
    set(a, b, (bits >> i & 1) === 1);
    set(b, a, (bits >> i & 1) === 1);
  }
}

function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = 2 * Math.ceil((4 * version + 4) / (2 * count - 2));
  const centres = [6];
  for (let at = 4 * version + 10; centres.length < count; at -= step) centres.splice(1, 0, at);
  return centres;
}

/** Where each of the 15 format bits stands, twice. */
function formatCells(size: number): (readonly [x: number, y: number])[][] {
  return Array.from({ length: 15 }, (_, i) => {
    const first = i < 6 ? [8, i] : i < 8 ? [8, i + 1] : i === 8 ? [7, 8] : [14 - i, 8];
    const second = i < 8 ? [size - 1 - i, 8] : [8, size - 15 + i];
    return [first, second] as [number, number][];
  });
}

function drawFormat(grid: Grid, mask: number): void {
  const data = LEVEL_M << 3 | mask;
  let rest = data;
  for (let i = 0; i < 10; i++) rest = rest << 1 ^ (rest >> 9) * 0x537;
  const bits = (data << 10 | rest) ^ 0x5412;
  formatCells(grid.length).forEach((cells, i) => {
    for (const [x, y] of cells) grid[y]![x] = (bits >> i & 1) === 1;
  });
}

/** Upwards and downwards in columns of two, from the right. */
function drawData(
  grid: Grid,
  { isFixed, codewords, mask }: { isFixed: Grid; codewords: readonly number[]; mask: number },
): void {
  const size = grid.length;
  let bit = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const isUpwards = (right + 1 & 2) === 0;
      const y = isUpwards ? size - 1 - step : step;
      for (const x of [right, right - 1]) {
        if (isFixed[y]![x]) continue;
        const isDark = ((codewords[bit >> 3] ?? 0) >> 7 - (bit & 7) & 1) === 1;
        bit++;
        grid[y]![x] = isDark !== isMasked(mask, x, y);
      }
    }
  }
}

const MASKS: readonly ((x: number, y: number) => number)[] = [
  (x, y) => (x + y) % 2,
  (_, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => x * y % 2 + x * y % 3,
  (x, y) => (x * y % 2 + x * y % 3) % 2,
  (x, y) => ((x + y) % 2 + x * y % 3) % 2,
];

function isMasked(mask: number, x: number, y: number): boolean {
  return MASKS[mask]!(x, y) === 0;
}

/** What makes a code hard to read: long runs, blocks, what looks like a finder, too much of one. */
function penaltyOf(grid: Grid): number {
  const size = grid.length;
  const columns = grid.map((_, x) => grid.map((row) => row[x]!));
  const lines = [...grid, ...columns].map((line) => line.map((it) => it ? "1" : "0").join(""));
  let penalty = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) penalty += run.length - 2;
    penalty += 40 * (line.match(/(?=00001011101|10111010000)/g)?.length ?? 0);
  }
  for (let y = 0; y < size - 1; y++) {
    for (let x = 0; x < size - 1; x++) {
      const [a, b] = [grid[y]!, grid[y + 1]!];
      if (a[x] === a[x + 1] && a[x] === b[x] && a[x] === b[x + 1]) penalty += 3;
    }
  }
  const dark = grid.flat().filter(Boolean).length / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(20 * dark - 10));
}

function blank(size: number): Grid {
  return Array.from({ length: size }, () => Array<boolean>(size).fill(false));
}
