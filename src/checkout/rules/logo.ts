import { utf8 } from "../../base/bytes.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { cleanPng, isPng } from "./png.ts";
import { cleanSvg } from "./svg.ts";

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
