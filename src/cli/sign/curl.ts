import type { Bytes } from "../../base/bytes.ts";

interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes;
  /** Where the body came from; "-" is standard input. */
  readonly file: string | undefined;
}

/** A longer one is not worth reading on a screen. */
const SHOWN_BYTES_MAX = 4096;

/** Sends exactly what was signed. */
export function curlCommand({ method, url, headers, body, file }: CurlRequest): string {
  const isChangedByCurl = /[[\]{}]|\/\.{1,2}(\/|\?|$)/.test(url);
  const parts = [
    `curl -sS -X ${method}${isChangedByCurl ? " --globoff --path-as-is" : ""} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...body.length === 0 ? [] : ["-H 'Content-Type: application/json'", dataOf(body, file)],
  ];
  return parts.join(" \\\n  ");
}

function dataOf(body: Bytes, file: string | undefined): string {
  if (file !== undefined && file !== "-") return `--data-binary ${quoted(`@${file}`)}`;
  const text = shownText(body);
  return text === undefined ? "--data-binary @-" : `--data-raw ${quoted(text)}`;
}

/** Undefined if an argument can't hold it, or nobody could read it. */
function shownText(body: Bytes): string | undefined {
  if (body.length > SHOWN_BYTES_MAX) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    // deno-lint-ignore no-control-regex -- exactly these must not reach a terminal
    return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** For a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
