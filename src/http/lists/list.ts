import type { Context } from "hono";
import { present } from "../../base/assert.ts";
import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import { streamed } from "../../base/net/streamed.ts";
import type { Place } from "../../base/waiting/shares.ts";
import { TooBusy } from "../../base/waiting/turns.ts";
import type { Deps } from "../../deps/deps.ts";
import { Refused } from "../../domain/refusal.ts";
import { csvShares, listShares } from "../../domain/shares.ts";
import { accountOf } from "../caller.ts";
import type { Endpoint } from "../endpoint.ts";
import * as fields from "./fields.ts";
import { headersWith, okRows } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";
import { strictInput } from "../strict_input.ts";
import * as wire from "../../domain/wire.ts";
import { z } from "zod";

interface PageAsked<Q> {
  readonly accountId: number;
  readonly query: Q;
  readonly cursor: number | null;
  readonly limit: number;
}

type List<Q extends z.ZodObject> =
  & Omit<Endpoint, "method" | "query" | "body" | "list" | "isStrict" | "handle" | "data">
  & {
    readonly query: Q;
    readonly data: z.ZodType;
    /** The columns of the CSV, if `data` is no object. */
    readonly line?: z.ZodObject;
    /** Read together, between two looks at what else has come. */
    readonly rowsAtOnce?: number;
    /** How callers see cursors, if not as ids. */
    readonly opaque?: Opaque;
    readonly page: (deps: Deps, asked: PageAsked<z.output<Q>>) => Promise<{
      readonly rows: readonly object[];
      readonly next: number | null;
    }>;
  };

interface Opaque {
  readonly cursor: z.ZodType<number | undefined>;
  textOf(id: number): string;
}

const PAGING = { cursor: fields.cursor, limit: fields.limit };
const whole = z.undefined("CSV has all rows").optional();
const NO_PAGING = { cursor: whole, limit: whole };
const NO_BODY = z.object({});
const CSV_RETRY_S = 5;
const ROWS_AT_ONCE = 200;
/** A page of heavier rows is shorter, and another follows. */
const PAGE_CHARS_MAX = 2 ** 19;

/** Newest first, in pages or as one CSV. */
export function list<Q extends z.ZodObject>(
  { page, opaque, line, rowsAtOnce = ROWS_AT_ONCE, ...about }: List<Q>,
): Endpoint {
  const columns = line ?? about.data as z.ZodObject;
  const paged = about.query.extend({ ...PAGING, ...opaque ? { cursor: opaque.cursor } : {} });
  const unpaged = about.query.extend(NO_PAGING);
  // Programs may count them: a new field is the last of its object.
  const csv = { names: Object.keys(columns.shape), numbers: amountsOf(columns), rowsAtOnce };
  return {
    ...about,
    method: "GET",
    query: paged,
    list: opaque ? "opaque pages" : "pages",
    isStrict: true,
    hasCsv: true,
    refusals: ["validation_failed", ...about.refusals],
    handle: (deps) => async (c) => {
      const accountId = accountOf(c);
      if (prefersCsv(c.req.raw.headers.get("accept"))) {
        const { query } = strictInput(c.env.state, { query: unpaged, body: NO_BODY });
        const read = (cursor: number | null, limit: number) =>
          page(deps, { accountId, query: query as z.output<Q>, cursor, limit });
        return answerCsv(deps, c, { ...csv, read });
      }
      const { query } = strictInput(c.env.state, { query: paged, body: NO_BODY });
      const { cursor = null, limit } = query as z.output<z.ZodObject<typeof PAGING>>;
      const read = (cursor: number | null, limit: number) =>
        page(deps, { accountId, query: query as z.output<Q>, cursor, limit });
      return await answerList(deps, c, async (place) => {
        const { next, ...rows } = await readRows(place, { read, cursor, limit, rowsAtOnce });
        const next_cursor = next !== null && opaque ? opaque.textOf(next) : next;
        return { ...rows, page: { next_cursor, has_more: next !== null } };
      });
    },
  };
}

/** In one of the caller's places, until the client has taken the answer. */
export async function answerList(
  deps: Deps,
  c: Context<HttpEnv>,
  read: (place: Place) => Promise<Parameters<typeof okRows>[1]>,
): Promise<Response> {
  const place = await deps.memory.shares.enter(listShares(keyOf(c)));
  try {
    return okRows(c, await read(place), place.leave);
  } catch (error) {
    place.leave();
    throw error;
  }
}

interface Reading {
  readonly read: Parameters<typeof csvStream>[0]["read"];
  readonly cursor: number | null;
  readonly limit: number;
  readonly rowsAtOnce: number;
}

/** Portion by portion, as texts, so that of large rows nothing else is kept. */
async function readRows(place: Place, { read, cursor, limit, rowsAtOnce }: Reading) {
  const texts: string[] = [];
  let [count, chars, from] = [0, 0, cursor];
  for (;;) {
    const wanted = Math.min(rowsAtOnce, limit - count);
    const { text, length, next } = await place.turn(async () => {
      const { rows, next } = await read(from, wanted);
      return { text: JSON.stringify(rows).slice(1, -1), length: rows.length, next };
    });
    if (length > 0) texts.push(text);
    count += length;
    chars += text.length;
    const isEnd = next === null || length < wanted;
    if (isEnd || count === limit || chars >= PAGE_CHARS_MAX) return { texts, count, next };
    from = next;
  }
}

type Csv = Omit<Parameters<typeof csvStream>[0], "place" | "onEnd">;

/** Another instance of the gateway counts for itself. */
async function answerCsv(deps: Deps, c: Context<HttpEnv>, csv: Csv): Promise<Response> {
  const { state } = c.env;
  const headers = headersWith(state, { "content-type": "text/csv; charset=utf-8; header=present" });
  // Its body is neither read nor given up.
  if (c.req.raw.method === "HEAD") return new Response(null, { headers });
  const place = await deps.memory.shares.enter(csvShares(keyOf(c))).catch((error) => {
    throw error instanceof TooBusy
      ? new Refused("rate_limited", { retryAfterS: CSV_RETRY_S })
      : error;
  });
  const onEnd = (error?: unknown) => {
    place.leave();
    if (error) deps.log.warn("a CSV was cut off", { request_id: state.requestId, error });
  };
  return csvStream({ ...csv, place, onEnd }, headers);
}

function keyOf(c: Context<HttpEnv>) {
  return present(c.env.state.key, "The request is authenticated");
}

/** Everything else is text, which a spreadsheet must not run. */
function amountsOf({ shape }: z.ZodObject): ReadonlySet<string> {
  const pattern = JSON.stringify(wire.Amount.meta()?.pattern);
  const isAmount = (name: string) =>
    JSON.stringify(z.toJSONSchema(shape[name] as z.ZodType)).includes(pattern);
  return new Set(Object.keys(shape).filter(isAmount));
}

type ReadPage = (cursor: number | null, limit: number) => Promise<{
  readonly rows: readonly object[];
  readonly next: number | null;
}>;

interface CsvList {
  readonly names: readonly string[];
  /** Fields whose text is a number. */
  readonly numbers: ReadonlySet<string>;
  readonly read: ReadPage;
  /** Other requests wait while so many are read. */
  readonly rowsAtOnce: number;
  /** Of the caller, who leaves it when the CSV ends. */
  readonly place: Pick<Place, "turn">;
  /** Called once, however it ends. */
  readonly onEnd: (fault?: unknown) => void;
}

/** All rows, read page by page as the client takes them. A fault cuts the connection off. */
export function csvStream(list: CsvList, headers: Headers): Response {
  let isOver = false;
  const lines = csvLines(list, () => isOver);
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
  return streamed(body, { headers }, (fault) => {
    isOver = true;
    list.onEnd(fault);
  });
}

async function* csvLines(
  { names, numbers, read, rowsAtOnce, place }: CsvList,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  const lineOf = (row: object): string => {
    const fields = row as Readonly<Record<string, unknown>>;
    const cells = names.map((name) => csvCell(fields[name], { isNumber: numbers.has(name) }));
    return `${cells.join(",")}\r\n`;
  };
  yield utf8(`${names.join(",")}\r\n`);
  let cursor: number | null = null;
  do {
    const { lines, next }: { lines: string; next: number | null } = await place.turn(async () => {
      const page = await read(cursor, rowsAtOnce);
      return { lines: page.rows.map(lineOf).join(""), next: page.next };
    });
    if (lines !== "") yield utf8(lines);
    cursor = next;
  } while (cursor !== null && !isOver());
}

/** Whether an Accept header prefers CSV to JSON. */
function prefersCsv(accept: string | null): boolean {
  if (accept === null) return false;
  const weights = new Map(
    accept.toLowerCase().split(",").map((part) => {
      const [type = "", ...parameters] = part.split(";").map((one) => one.trim());
      const weight = parameters.find((one) => one.startsWith("q="));
      return [type, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const csv = weights.get("text/csv") ?? 0;
  return csv > 0 && csv >= (weights.get("application/json") ?? 0);
}
