import { joined, utf8 } from "../../base/bytes.ts";
import { cleanSvg } from "./svg.ts";
import { OperatorError } from "../../domain/refusal.ts";

const MAGIC = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const SIDE_MAX = 1_024;
/** What the picture is made of. Texts, positions and times are left out. */
const KEPT = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];
const AROUND_BYTES = 12;

const LOGO_BYTES_MAX = 65_536;
/** What the payer's page has room for, long texts included; a larger one is kept and not shown. */
export const LOGO_ON_PAGE_MAX = 16_000;

export interface Logo {
  readonly mediaType: "image/png" | "image/svg+xml";
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A picture that somebody gave, without anything that isn't needed to see it. */
export function readLogo(bytes: Uint8Array<ArrayBuffer>): Logo {
  if (bytes.length > LOGO_BYTES_MAX) {
    const size = bytes.length.toLocaleString("en");
    const max = LOGO_BYTES_MAX.toLocaleString("en");
    throw new OperatorError(`The logo has ${size} bytes, and may have ${max}`);
  }
  if (isPng(bytes)) return { mediaType: "image/png", bytes: cleanPng(bytes) };
  return { mediaType: "image/svg+xml", bytes: utf8(cleanSvg(textOf(bytes))) };
}

function textOf(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (/^\s*</.test(text)) return text;
  } catch {
    // Neither.
  }
  throw new OperatorError("The logo is neither a PNG nor an SVG in UTF-8");
}

function isPng(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** The same picture without anything else in the file or behind its end. */
function cleanPng(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts = [bytes.subarray(0, MAGIC.length)];
  for (let at = MAGIC.length, isFirst = true;; isFirst = false) {
    if (at + AROUND_BYTES > bytes.length) throw refused("it ends too early");
    const length = view.getUint32(at);
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const end = at + AROUND_BYTES + length;
    if (end > bytes.length) throw refused("it ends too early");
    if (isFirst) checkSize(type, { view, at: at + 8, length });
    if (KEPT.includes(type)) parts.push(bytes.subarray(at, end));
    if (type === "IEND") return joined(parts);
    at = end;
  }
}

function checkSize(
  type: string,
  { view, at, length }: { view: DataView; at: number; length: number },
): void {
  if (type !== "IHDR" || length !== 13) throw refused("it doesn't begin with its size");
  const sides = [view.getUint32(at), view.getUint32(at + 4)];
  if (sides.every((side) => side >= 1 && side <= SIDE_MAX)) return;
  throw refused(`it is ${sides.join(" × ")} pixels, and each side may have 1 to ${SIDE_MAX}`);
}

function refused(why: string): OperatorError {
  return new OperatorError(`This PNG can't be used: ${why}`);
}
