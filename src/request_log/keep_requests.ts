import { type Bytes, utf8 } from "../base/bytes.ts";
import type { Deps } from "../deps/deps.ts";
import { dayOf } from "../domain/time.ts";
import type { Notes, Rejection } from "./request_notes.ts";
import {
  NOBODY,
  RequestCounts,
  RequestLog,
  type RequestLogDayRow,
  RequestLogDays,
  RequestLogHours,
  type RequestLogRow,
} from "./table.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { type Read, readAll, type View } from "../store/engine/workspace.ts";

const HIDDEN = "(hidden)";
/**
 * Names of fields whose values must not be in a log. The length is limited, because the time to
 * match a name grows with its square.
 */
const SECRET_NAME =
  "[\\w-]{0,64}(?:secret|passw|token|private|mnemonic|seed|signature|api_?key)[\\w-]{0,64}";
const FIELD = new RegExp(`("${SECRET_NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi");
const PARAMETER = new RegExp(`([?&]${SECRET_NAME}=)[^&\\n]*`, "gi");
/** As this gateway makes them: secrets of keys and webhooks. */
const OURS = /\bwhsec_[\w+/=-]+|(?<![\w-])[\w-]{43}(?![\w-])/g;
/** Private keys and signatures. */
const HEX_KEY = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{130})(?![0-9a-z])/gi;

const BODY_BYTES_KEPT = 2_048;
const PATH_MAX = 200;
const QUERY_MAX = 1_000;
/** It is cut to this before secrets are looked for. */
const TARGET_MAX = 4_096;
const TOKEN_AT_END = /(?<![\w+/=-])[\w+/=-]{8,}$/;
const CANONICAL_MAX = 2_048;
const MESSAGE_MAX = 300;
const METHOD_MAX = 20;

const ROW_BYTES = 150;
const AT_ONCE = { countsMax: 200, rejectionsMax: 64 };
/** Requests that wait for a write come first. */
const QUEUE_BUSY = 32;
/** Rows of a day: what an account may have, and all together. The second is for strangers' ones. */
const ACCOUNT_MAX = { kept: 1_000, unproven: 400 };
const EVERYBODY_MAX = { kept: 5_000, unproven: 2_500 };
/** Bytes of an hour, all together: rows differ in size, and a day's may come at once. */
const HOUR_BYTES_MAX = { kept: 4_000_000, unproven: 2_000_000 };
const HOUR_MS = 3_600_000;
/** An account's first rows have more room, or a few accounts could take it all. */
const FIRST = { rows: 20, everybodyMax: { kept: 10_000, unproven: 5_000 } };

/**
 * Writes what was noted since the last time, in one unit. Only the last second is lost in a crash.
 */
export async function keepRequests(deps: Deps): Promise<void> {
  const { db, memory: { requests } } = deps;
  if (db.queueDepth() > QUEUE_BUSY) return;
  const notes = requests.take(AT_ONCE);
  if (notes.counts.length + notes.rejections.length === 0) return;
  try {
    await db.write({ reads: readsFor(notes), decide: (view) => write(view, notes) });
  } catch (error) {
    requests.putBack(notes.counts);
    if (!(error instanceof Unavailable)) throw error;
    deps.log.warn("the request log is not written", { error: error.message });
  }
}

function readsFor({ counts, rejections }: Notes): Read[] {
  const days = rejections.flatMap(({ accountId, atMs }) =>
    [accountId, NOBODY].map((id) => [id, dayOf(atMs)])
  );
  const hours = rejections.map(({ atMs }) => [hourOf(atMs)]);
  return [
    ...readAll(RequestCounts, counts.map(keyOf)),
    ...readAll(RequestLogDays, days),
    ...readAll(RequestLogHours, hours),
  ];
}

function keyOf(
  { accountId, hourMs, keyId, route }: {
    accountId: number;
    hourMs: number;
    keyId: string;
    route: string;
  },
) {
  return [accountId, hourMs, keyId, route];
}

function write(view: View, { counts, rejections }: Notes): void {
  for (const row of counts) {
    const before = view.find(RequestCounts, keyOf(row));
    if (!before) view.insertKeyed(RequestCounts, { ...row });
    else {
      view.update(RequestCounts, before, {
        succeeded: before.succeeded + row.succeeded,
        rejected: before.rejected + row.rejected,
      });
    }
  }
  for (const rejection of rejections) {
    const row = logRow(rejection);
    if (takeRoom(view, rejection, bytesOf(row))) view.insert(RequestLog, row);
  }
}

/** Nobody fills the disk by sending what is rejected. The counts have those without room. */
function takeRoom(
  view: View,
  { accountId, atMs, isProven }: Rejection,
  bytes: number,
): boolean {
  const dayMs = dayOf(atMs);
  const own = dayRow(view, { accountId, dayMs });
  const all = dayRow(view, { accountId: NOBODY, dayMs });
  const allMax = own.kept < FIRST.rows ? FIRST.everybodyMax : EVERYBODY_MAX;
  if (isFull(own, { max: ACCOUNT_MAX, isProven }) || isFull(all, { max: allMax, isProven })) {
    return false;
  }
  if (!takeBytes(view, { hourMs: hourOf(atMs), bytes, isProven })) return false;
  for (const row of [own, all]) {
    const more = { kept: row.kept + 1, unproven: row.unproven + (isProven ? 0 : 1) };
    const known = view.find(RequestLogDays, [row.accountId, dayMs]);
    if (known) view.update(RequestLogDays, known, more);
    else view.insertKeyed(RequestLogDays, { ...row, ...more });
  }
  return true;
}

function takeBytes(
  view: View,
  { hourMs, bytes, isProven }: { hourMs: number; bytes: number; isProven: boolean },
): boolean {
  const known = view.find(RequestLogHours, [hourMs]);
  const before = known ?? { hourMs, kept: 0, unproven: 0 };
  const more = {
    kept: before.kept + bytes,
    unproven: before.unproven + (isProven ? 0 : bytes),
  };
  const { kept, unproven } = HOUR_BYTES_MAX;
  if (more.kept > kept || (!isProven && more.unproven > unproven)) return false;
  if (known) view.update(RequestLogHours, known, more);
  else view.insertKeyed(RequestLogHours, { ...before, ...more });
  return true;
}

/** With what it adds to the index. */
function bytesOf(row: ReturnType<typeof logRow>): number {
  return utf8(JSON.stringify(Object.values(row))).length + ROW_BYTES;
}

function hourOf(atMs: number): number {
  return atMs - atMs % HOUR_MS;
}

function dayRow(
  view: View,
  { accountId, dayMs }: { accountId: number; dayMs: number },
): RequestLogDayRow {
  return view.find(RequestLogDays, [accountId, dayMs]) ??
    { accountId, dayMs, kept: 0, unproven: 0 };
}

function isFull(
  { kept, unproven }: RequestLogDayRow,
  { max, isProven }: { max: typeof ACCOUNT_MAX; isProven: boolean },
): boolean {
  return kept >= max.kept || (!isProven && unproven >= max.unproven);
}

/** What is kept of a rejected request, which is never its signature. */
function logRow(rejection: Rejection): Omit<RequestLogRow, "id"> {
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

/** Senders make mistakes, and a secret that they sent by mistake must not be kept. */
function bodyWithoutSecrets(text: string): string {
  return text.replace(FIELD, `$1"${HIDDEN}"`).replace(OURS, HIDDEN).replace(HEX_KEY, HIDDEN);
}

/** A path with its query. Hashes of transactions are hex as well, and not secret. */
function targetWithoutSecrets(text: string): string {
  return text.replace(PARAMETER, `$1${HIDDEN}`).replace(OURS, HIDDEN);
}

/** The five lines: the body's hash is shown, and anything in place of a time isn't. */
function canonicalWithoutSecrets(text: string): string {
  const [time = "", method = "", path = "", query = "", ...hash] = text.split("\n");
  const target = targetWithoutSecrets(`${path}?${query}`);
  const mark = target.indexOf("?");
  const shownTime = /^[\d.+-]{1,20}$/.test(time) ? time : HIDDEN;
  return [shownTime, method, target.slice(0, mark), target.slice(mark + 1), ...hash].join("\n");
}
