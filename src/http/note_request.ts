import type { Deps } from "../deps/deps.ts";
import type { Described } from "../request_log/request_notes.ts";
import type { ErrorAnswer } from "./error_table.ts";
import type { RequestState } from "./request_state.ts";

interface Answered {
  readonly method: string;
  readonly state: RequestState;
  readonly status: number;
}

/** For the request log. Only counts, unless a request of somebody's key was rejected. */
export function noteRequest(
  { memory: { requests }, clock }: Deps,
  { method, state, status }: Answered,
): void {
  const { key, denial, answer, route } = state;
  if (status < 400) {
    if (key) requests.succeeded(key, { route, method, atMs: clock.nowMs() });
    return;
  }
  if (!answer || !state.target.startsWith("/v1/")) return;
  const accountId = key?.accountId ?? denial?.accountId;
  const keyId = key?.keyId ?? denial?.keyId;
  if (typeof accountId !== "number" || !keyId) return requests.strange(clock.nowMs());
  const from = { accountId, keyId, route, method, atMs: clock.nowMs() };
  const isProven = key !== undefined;
  requests.rejected(from, { isProven, describe: () => described(state, { answer, status }) });
}

function described(
  { target, denial, ip, requestId, body }: RequestState,
  { answer: { code, message }, status }: { answer: ErrorAnswer; status: number },
): Described {
  const { reason = code, skewS, canonical = null } = denial ?? {};
  const isSkewed = skewS !== undefined && Number.isFinite(skewS);
  return {
    ...{ target, status, code, message, reason, ip, requestId, canonical, body },
    skewS: isSkewed ? skewS : null,
  };
}
