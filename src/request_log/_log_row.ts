import type { Bytes } from "../base/bytes.ts";
import type { RequestLogRow } from "./table.ts";
import type { Rejection } from "./request_notes.ts";
import {
  bodyWithoutSecrets,
  canonicalWithoutSecrets,
  targetWithoutSecrets,
} from "./_without_secrets.ts";

const BODY_BYTES_KEPT = 2_048;
const PATH_MAX = 200;
const QUERY_MAX = 1_000;
/** It is cut to this before secrets are looked for. */
const TARGET_MAX = 4_096;
const TOKEN_AT_END = /(?<![\w+/=-])[\w+/=-]{8,}$/;
const CANONICAL_MAX = 2_048;
const MESSAGE_MAX = 300;
const METHOD_MAX = 20;

/** What is kept of a rejected request, which is never its signature. */
export function logRow(rejection: Rejection): Omit<RequestLogRow, "id"> {
  const { accountId, atMs, keyId, code, status, reason, ip, requestId, skewS } = rejection;
  const { canonical, body, message, method } = rejection;
  const target = targetWithoutSecrets(rejection.target.slice(0, TARGET_MAX));
  const mark = target.indexOf("?");
  return {
    ...{ accountId, atMs, keyId, code, status, reason, ip, requestId, skewS },
    method: plain(method, METHOD_MAX),
    path: plain(mark < 0 ? target : target.slice(0, mark), PATH_MAX),
    query: plain(mark < 0 ? "" : target.slice(mark + 1), QUERY_MAX),
    message: plain(message, MESSAGE_MAX),
    canonical: canonical && plain(canonicalWithoutSecrets(canonical), CANONICAL_MAX),
    body: keptBody(body),
    bodyBytes: body.length,
  };
}

/** Null if it isn't text. Cut first, so that a huge body costs nothing. */
function keptBody(body: Bytes): string | null {
  const beginning = body.subarray(0, BODY_BYTES_KEPT);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(beginning, { stream: true });
    const isCut = body.length > beginning.length;
    // Half a secret wouldn't be recognised as one.
    const whole = isCut ? text.replace(TOKEN_AT_END, "") : text;
    return plain(bodyWithoutSecrets(whole), BODY_BYTES_KEPT);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

function plain(text: string, max: number): string {
  // deno-lint-ignore no-control-regex -- exactly these must not reach a page or a terminal
  const shown = text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "?");
  return shown.length <= max ? shown : `${shown.slice(0, max - 1)}…`.toWellFormed();
}
