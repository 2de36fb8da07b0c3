import { crc32, deflateSync } from "node:zlib";
import { joined, utf8 } from "../../../src/base/bytes.ts";

const MAGIC = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

export function chunk(type: string, body: Uint8Array): Uint8Array {
  const typed = joined([utf8(type), body]);
  return joined([word(body.length), typed, word(crc32(typed))]);
}

/** A grey picture, with other chunks before its pixels. */
export function makePng(
  { width = 2, height = 2, others = [] }: {
    width?: number;
    height?: number;
    others?: readonly Uint8Array[];
  } = {},
): Uint8Array<ArrayBuffer> {
  const size = joined([word(width), word(height), new Uint8Array([8, 0, 0, 0, 0])]);
  const pixels = deflateSync(new Uint8Array((width + 1) * height));
  return joined([
    MAGIC,
    chunk("IHDR", size),
    ...others,
    chunk("IDAT", new Uint8Array(pixels)),
    chunk("IEND", new Uint8Array()),
  ]);
}
