import { decodeQR } from "qr/decode.js";

/** Pixels per square: enough for a camera. */
const PIXELS = 3;

/** What a camera would read from a drawn code. */
export function readQr(svg: string): string {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const width = size * PIXELS;
  const data = new Uint8Array(4 * width ** 2).fill(255);
  for (const { x, y, length } of strokesOf(svg)) {
    for (let row = 0; row < PIXELS; row++) {
      const from = ((y * PIXELS + row) * width + x * PIXELS) * 4;
      for (let i = 0; i < 4 * PIXELS * length; i++) if (i % 4 < 3) data[from + i] = 0;
    }
  }
  return decodeQR({ width, height: width, data });
}

interface Stroke {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}

export function strokesOf(svg: string): Stroke[] {
  return [...svg.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)].map(([, x, y, length]) => ({
    x: Number(x),
    y: Number(y),
    length: Number(length),
  }));
}
