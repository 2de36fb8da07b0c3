import type { Context } from "hono";
import {
  claimRequest,
  type ClaimTerms,
  keepAnswer,
  keptAnswer,
  type Repeatable,
} from "../access/claim_request.ts";
import { isAble } from "../access/rules/roles.ts";
import type { RoleKeyRow } from "../access/tables/keys.ts";
import { type Given, inputOf } from "./input.ts";
import { methodOf, operations } from "./table.ts";
import { present } from "../base/assert.ts";
import { type Bytes, fromBase64 } from "../base/bytes.ts";
import { sleep } from "../base/clock.ts";
import { sha256Hex } from "../base/secrets/crypto.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { JsonNumber } from "../domain/money/amount_text.ts";
import {
  type FieldFault,
  NoRecord,
  OperatorError,
  Refused,
  TooManyTries,
} from "../domain/refusal.ts";
import { type ActionRefusalCode, ActionRefused } from "../domain/refusals/refuse.ts";
import type { Manage } from "../http/app.ts";
import { signatureOf } from "../http/caller.ts";
import { answerOf } from "../http/error_table.ts";
import { replyWith } from "../http/reply.ts";
import type { HttpEnv } from "../http/request_state.ts";
import { type Asking, NO_TERMINAL, type Operation, UsageError } from "../operations/operation.ts";
import { concernsOnly, saysWhose } from "../operations/owners.ts";
import { apiRefusalText, isUsage, refusalText } from "../operations/words/refusals.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";

/** What is there already. */
const THERE: ReadonlySet<ActionRefusalCode> = new Set<ActionRefusalCode>([
  "user_taken",
  "network_taken",
  "currency_taken",
  "native_coin_taken",
  "contract_taken",
  "reference_taken",
  "withdrawal_reference_taken",
  "payee_listed",
]);

/** What names no record, though its code sounds so. */
const NO_RECORDS: ReadonlySet<ActionRefusalCode> = new Set<ActionRefusalCode>([
  "coins_unknown",
  "policy_quote_unknown",
  "invoice_currency_unknown",
]);

/** These words are about requests, and say what a command couldn't. */
const OF_REQUESTS: ReadonlySet<string> = new Set([
  "validation_failed",
  "role_denied",
  "permission_denied",
]);

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterS?: number | undefined;
}

interface Options {
  readonly deps: Deps;
  readonly databaseUrl: string;
}

/** Whatever can be typed can be called: the commands, for programs with a role. */
export function createManage(options: Options): Manage {
  const inProgress = new Map<string, Promise<unknown>>();
  return async (c, take) => {
    const { state } = c.env;
    const key = present(state.roleKey, "Whoever manages has a role");
    const operation = (await operations()).get(c.req.path);
    if (!operation) {
      await take();
      throw new Refused("not_found");
    }
    const method = methodOf(operation);
    if (!mayAsk(key, operation)) throw new Refused("role_denied", { text: key.role });
    await take();
    if (c.req.method !== method) throw new Refused("method_not_allowed", { allow: method });
    const asked = { operation, key, state };
    const read = await given(options.deps, asked);
    const { fault } = read;
    const work = fault
      ? () => Promise.resolve(fault)
      : () => answerTo(options, { ...asked, given: read });
    const isRepeatable = c.req.header(KEY_HEADER) !== undefined;
    if (method === "GET" || fault && !isRepeatable) return reply(c, await work());
    const terms = { isFaulty: fault !== undefined, isUrgent: operation.isUrgent === true };
    return await once(c, { ...options, key, inProgress, terms, work });
  };
}

type Readable = Given & { readonly fault?: undefined } | { readonly fault: Answer };

/** What is asked for, or what is wrong with it. */
async function given(
  deps: Deps,
  { operation, key, state }: Omit<Asked, "given">,
): Promise<Readable> {
  try {
    const given = inputOf(operation, {
      state,
      isRead: methodOf(operation) === "GET",
      defaults: defaultsOf(operation, key),
    });
    if (key.accountId !== null) mustBeFew(given);
    const isOwn = key.accountId === null ||
      await concernsOnly(key.accountId, { deps, operation, input: given.input });
    // Another account doesn't exist for the key.
    if (!isOwn) throw new Refused("not_found");
    return given;
  } catch (error) {
    return { fault: refusedAnswer(error, { key, state }) };
  }
}

function mayAsk({ role, accountId }: RoleKeyRow, operation: Operation): boolean {
  const ability = present(operation.reads ?? operation.changes, "An operation names an ability");
  if (!isAble(role, ability)) return false;
  return accountId === null || saysWhose(operation);
}

function defaultsOf(operation: Operation, { accountId }: RoleKeyRow) {
  return accountId !== null && operation.flags.account
    ? { account: new JsonNumber(String(accountId)) }
    : {};
}

/** An operator may ask for as much as the program can hold. */
const LISTED_MAX = 10_000;

function mustBeFew({ input: { flags: { limit } } }: Given): void {
  if (typeof limit !== "number" || limit <= LISTED_MAX) return;
  const fields = [{ field: "limit", message: `Must be at most ${LISTED_MAX}` }];
  throw new Refused("validation_failed", { fields });
}

interface Asked {
  readonly operation: Operation;
  readonly key: RoleKeyRow;
  readonly state: HttpEnv["Bindings"]["state"];
  readonly given: Given;
}

async function answerTo(options: Options, asked: Asked): Promise<Answer> {
  const { operation, key, state, given } = asked;
  let said: unknown;
  let page: object = {};
  const asking: Asking = {
    actor: {
      name: `api:${key.keyId}`,
      ip: state.ip,
      madeBy: key.madeBy,
      accountId: key.accountId,
    },
    caller: { role: key.role, accountId: key.accountId },
    ...NO_TERMINAL,
    cursor: given.cursor,
    deps: () => Promise.resolve(options.deps),
    answer: (value) => void (said = value),
    page: (next) => void (page = { next_cursor: next, has_more: next !== null }),
    fileOf,
    databaseUrl: () => options.databaseUrl,
  };
  try {
    const data = await operation.run(asking, given.input) ?? said ?? null;
    const list = Array.isArray(data) ? { data_count: data.length, ...page } : {};
    return {
      status: 200,
      text: JSON.stringify({ success: true, message: "OK", data, ...list }),
    };
  } catch (error) {
    return refusedAnswer(error, { key, state });
  }
}

function fileOf(given: string, bytesMax: number): Promise<Bytes | undefined> {
  const bytes = fromBase64(given);
  if (!bytes) throw new UsageError("A file's content is sent as base64");
  return Promise.resolve(bytes.length > bytesMax ? undefined : bytes);
}

function refusedAnswer(
  error: unknown,
  { key: { accountId }, state: { requestId } }: Pick<Asked, "key" | "state">,
): Answer {
  const refused = refusalOf(error, { isOwn: accountId !== null });
  if (!refused) throw error;
  return { ...errorAnswer(refused, requestId), retryAfterS: refused.retryAfterS };
}

function errorAnswer({ status, code, message, fields }: RefusalAnswer, requestId: string): Answer {
  const error = { code, request_id: requestId, ...fields ? { fields } : {} };
  return { status, text: JSON.stringify({ success: false, message, error }) };
}

function reply(c: Context<HttpEnv>, { status, text, retryAfterS }: Answer, isReplay = false) {
  return replyWith(c.env.state, {
    status,
    text,
    headers: {
      ...retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) },
      ...isReplay ? { "x-cpg-replay": "same" } : {},
    },
  });
}

const KEY_HEADER = "idempotency-key";
const KEY_CHARS_MAX = 128;
/** How long a repeat waits for the first request, in another program. */
const WAITS_MS = 30_000;
const LOOKS_EVERY_MS = 100;

interface Once extends Options {
  readonly key: RoleKeyRow;
  readonly terms: ClaimTerms;
  readonly inProgress: Map<string, Promise<unknown>>;
  work(): Promise<Answer>;
}

/** Does it, unless the same request was made before. */
async function once(
  c: Context<HttpEnv>,
  { deps, key, terms, inProgress, work }: Once,
): Promise<Response> {
  const { state } = c.env;
  const repeat = repeatable(c);
  const caller = { keyId: key.keyId, ip: state.ip, ...signatureOf(c) };
  if (!repeat) {
    await claimRequest(deps, { key, caller, repeat, isLastLook: true, ...terms });
    return reply(c, await work());
  }
  const name = JSON.stringify([key.keyId, repeat.path, repeat.idempotencyKey]);
  for (let waits = 0;; waits++) {
    await inProgress.get(name)?.catch(() => {});
    const isLastLook = waits * LOOKS_EVERY_MS >= WAITS_MS;
    const known = await claimRequest(deps, { key, caller, repeat, isLastLook, ...terms });
    if (!known) break;
    // If there is none, the first one is in progress, or its program died.
    const answered = await keptAnswer(deps, known);
    if (answered) return reply(c, answered, true);
    if (known.status !== null || isLastLook) throw new Refused("outcome_unknown");
    await sleep(LOOKS_EVERY_MS);
  }
  const keep = (answer: Kept) => keepAnswer(deps, { key, repeat, answer });
  const working = answered(work, { deps, keep });
  inProgress.set(name, working);
  try {
    return reply(c, await working);
  } finally {
    inProgress.delete(name);
  }
}

type Kept = Parameters<typeof keepAnswer>[1]["answer"];

async function answered(
  work: () => Promise<Answer>,
  { deps, keep }: { deps: Deps; keep: (answer: Kept) => Promise<void> },
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    // What the database was asked to write last may be there.
    const isUnknown = error instanceof Unavailable;
    await keep(isUnknown ? { status: answerOf(error).status, text: null } : null);
    throw error;
  }
  const { status } = answer;
  const isKept = status !== 401 && status !== 429 && status < 500;
  try {
    await keep(isKept ? answer : null);
  } catch (error) {
    // It was done, so it must neither be forgotten nor done again.
    deps.log.error("an answer was not kept for repeats", { error });
  }
  return answer;
}

function repeatable(c: Context<HttpEnv>): Repeatable | null {
  const idempotencyKey = c.req.header(KEY_HEADER);
  if (idempotencyKey === undefined) return null;
  if (idempotencyKey === "" || idempotencyKey.length > KEY_CHARS_MAX) {
    throw new Refused("validation_failed", {
      fields: [{ field: "Idempotency-Key", message: `Must have 1 to ${KEY_CHARS_MAX} characters` }],
    });
  }
  return { path: c.req.path, idempotencyKey, bodyHash: sha256Hex(c.env.state.body) };
}

interface RefusalAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly fields?: readonly FieldFault[];
  readonly retryAfterS?: number;
}

/**
 * The refusals that a command tells people, for programs; undefined: a fault of ours. An account
 * doesn't learn which nodes there are, nor what somebody changed in the database.
 */
export function refusalOf(
  error: unknown,
  { isOwn }: { readonly isOwn: boolean },
): RefusalAnswer | undefined {
  if (error instanceof UsageError) return usage(error.message);
  if (error instanceof ActionRefused) {
    const message = refusalText(error);
    if (isUsage(error)) return usage(message);
    return { status: statusOf(error.code), code: error.code, message };
  }
  if (error instanceof Refused) return apiRefusal(error);
  if (error instanceof TooManyTries) {
    const { retryAfterS, message } = error;
    return { status: 429, code: "rate_limited", message, retryAfterS };
  }
  if (error instanceof NoRecord) return { status: 404, code: "not_found", message: error.message };
  if (error instanceof TamperedRow) {
    const { message } = isOwn ? answerOf(error) : error;
    return { status: 503, code: "unavailable", message };
  }
  if (error instanceof NodeError) {
    const message = isOwn ? "A node of the network gave no answer" : error.message;
    return { status: 502, code: "node_unavailable", message };
  }
  if (error instanceof OperatorError) {
    return { status: 400, code: "refused", message: error.message };
  }
  return undefined;
}

function statusOf(code: ActionRefusalCode): number {
  if (THERE.has(code)) return 409;
  return code.endsWith("_unknown") && !NO_RECORDS.has(code) ? 404 : 400;
}

/** A command's flags are fields here. */
function usage(message: string): RefusalAnswer {
  const named = [...message.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = ""]) =>
    name.replaceAll("-", "_")
  );
  const fields = [...new Set(named)].map((field) => ({ field, message }));
  return { status: 422, code: "validation_failed", message, fields };
}

function apiRefusal(error: Refused): RefusalAnswer {
  const { status, code, message } = answerOf(error);
  const { fields, retryAfterS } = error.detail;
  const isWorded = OF_REQUESTS.has(error.code) || apiRefusalText(error) === error.code;
  return {
    ...{ status, code, message: isWorded ? message : apiRefusalText(error) },
    ...fields ? { fields } : status === 422 ? { fields: [] } : {},
    ...retryAfterS === undefined ? {} : { retryAfterS },
  };
}
