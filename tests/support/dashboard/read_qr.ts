import type { Locator } from "playwright-core";
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

/** What a camera would read from the screen. */
export async function readShot(picture: Locator): Promise<string> {
  const shot = (await picture.screenshot()).toString("base64");
  const { width, height, lights } = await picture.page().evaluate<Shot>(pixelsOf(shot));
  const data = new Uint8Array(4 * width * height).fill(255);
  for (let i = 0; i < lights.length; i++) data.fill(lights[i] === "1" ? 255 : 0, 4 * i, 4 * i + 3);
  return decodeQR({ width, height, data });
}

interface Shot {
  readonly width: number;
  readonly height: number;
  readonly lights: string;
}

/** The browser knows how to read its own pictures. */
const pixelsOf = (shot: string) =>
  `(async () => {
  const bytes = Uint8Array.from(atob("${shot}"), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const lights = Array.from({ length: width * height }, (_, i) => data[4 * i] > 127 ? 1 : 0);
  return { width, height, lights: lights.join("") };
})()`;
