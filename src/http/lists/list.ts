import type { Context } from "hono";
import { z } from "zod";
import type { Deps } from "../../actions/deps.ts";
import { present } from "../../base/assert.ts";
import { Refused } from "../../domain/refusal.ts";
import { accountOf } from "../caller.ts";
import { csvStream, prefersCsv } from "./csv.ts";
import type { Endpoint } from "../endpoint.ts";
import * as fields from "./fields.ts";
import { headersWith, okList } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";
import { strictInput } from "../strict_input.ts";
import * as wire from "../wire.ts";

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
    /** Of a CSV, read together. */
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
const BUSY_RETRY_S = 5;
const ROWS_AT_ONCE = 200;

/** Newest first, in pages or as one CSV. */
export function list<Q extends z.ZodObject>(
  { page, opaque, line, rowsAtOnce = ROWS_AT_ONCE, ...about }: List<Q>,
): Endpoint {
  const columns = line ?? about.data as z.ZodObject;
  const paged = about.query.extend({ ...PAGING, ...opaque ? { cursor: opaque.cursor } : {} });
  const unpaged = about.query.extend(NO_PAGING);
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
      const asked = { accountId, query: query as z.output<Q>, cursor, limit };
      const { rows, next } = await page(deps, asked);
      const next_cursor = next !== null && opaque ? opaque.textOf(next) : next;
      return okList(c, rows, { next_cursor, has_more: next !== null });
    },
  };
}

type Csv = Omit<Parameters<typeof csvStream>[0], "turns" | "onEnd">;

/** Another instance of the gateway counts for itself. */
function answerCsv({ memory, log }: Deps, c: Context<HttpEnv>, csv: Csv): Response {
  const { state } = c.env;
  const { keyId } = present(state.key, "The request is authenticated");
  const headers = headersWith(state, { "content-type": "text/csv; charset=utf-8; header=present" });
  // Its body is neither read nor given up.
  if (c.req.raw.method === "HEAD") return new Response(null, { headers });
  if (memory.csvKeys.has(keyId)) {
    throw new Refused("rate_limited", { retryAfterS: BUSY_RETRY_S });
  }
  memory.csvKeys.add(keyId);
  const onEnd = (error?: unknown) => {
    memory.csvKeys.delete(keyId);
    if (error) log.warn("a CSV was cut off", { request_id: state.requestId, error });
  };
  return csvStream({ ...csv, turns: memory.pageTurns, onEnd }, headers);
}

/** Everything else is text, which a spreadsheet must not run. */
function amountsOf({ shape }: z.ZodObject): ReadonlySet<string> {
  const pattern = JSON.stringify(wire.Amount.meta()?.pattern);
  const isAmount = (name: string) =>
    JSON.stringify(z.toJSONSchema(shape[name] as z.ZodType)).includes(pattern);
  return new Set(Object.keys(shape).filter(isAmount));
}
