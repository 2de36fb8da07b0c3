import type { ApiKeyRow, RoleKeyRow } from "../access/tables/keys.ts";
import { present } from "../base/assert.ts";
import type { Bytes } from "../base/bytes.ts";
import type { Taken } from "../base/waiting/token_bucket.ts";
import type { ErrorAnswer } from "./error_table.ts";

/** Why a request was rejected, for the log only: its sender learns less. */
export interface Denial {
  readonly reason: string;
  /** As sent, so it may be any text. */
  readonly keyId?: string | null;
  /** How far the sender's clock is ahead of ours. */
  readonly skewS?: number;
  /** The key's, if there is such a key. */
  readonly accountId?: number | null | undefined;
  /** What the signature should have covered. */
  readonly canonical?: string;
}

const KEY_ID_MAX = 64;

/** Filled in by the middleware. */
export interface RequestState {
  readonly requestId: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  readonly ip: string;
  readonly startedAtMs: number;
  /** It may change something. */
  readonly isWrite: boolean;
  /** The pattern, for metrics; never a stranger's input. */
  route: string;
  body: Bytes;
  key?: ApiKeyRow;
  /** Instead of one for `/v1`. */
  roleKey?: RoleKeyRow;
  signature?: string;
  timestampS?: number;
  denial?: Denial;
  /** It has left its signature in the database. */
  isSignatureStored?: boolean;
  /** What it was answered, if that was an error. */
  answer?: ErrorAnswer;
  limit?: { perMinute: number; taken: Taken };
}

/** Whoever signed the request. */
export function signerOf({ key, roleKey }: RequestState): ApiKeyRow | RoleKeyRow {
  return present(key ?? roleKey, "The request is authenticated");
}

export function deny(state: RequestState, { keyId, ...denial }: Denial): void {
  state.denial = keyId ? { ...denial, keyId: keyId.slice(0, KEY_ID_MAX) } : denial;
}

export type HttpEnv = { Bindings: { state: RequestState } };

const NO_QUERY = new URLSearchParams();

/** Read-only, so that one empty query serves all requests without one. */
export type Query = Pick<URLSearchParams, "get" | typeof Symbol.iterator>;

export function queryOf(target: string): Query {
  const mark = target.indexOf("?");
  // Includes the question mark, because the parser removes exactly one: "??a=1" has a field "?a".
  return mark < 0 ? NO_QUERY : new URLSearchParams(target.slice(mark));
}
