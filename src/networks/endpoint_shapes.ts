import type { NetworkEndpointRow } from "../following/table.ts";

type EndpointShape = ReturnType<typeof endpointShapes>[number];

/** As the server last saw them. The lag is measured from the highest block that any of them reported. */
export function endpointShapes(rows: readonly NetworkEndpointRow[], nowMs: number) {
  const top = Math.max(0, ...rows.map(({ height }) => height ?? 0));
  return rows.map((row) => ({
    host: row.host,
    reachable: row.isReachable,
    height: row.height,
    final_height: row.finalizedHeight,
    lag: row.height === null ? null : top - row.height,
    traces: row.isTracing,
    pushes: row.isPushing,
    push_error: row.pushError,
    seconds_since_answer: secondsSince(row.answeredAtMs, nowMs),
    last_error: row.lastError,
    seconds_since_error: secondsSince(row.failedAtMs, nowMs),
  }));
}

/** For people. */
export function endpointLine(endpoint: EndpointShape): string {
  const { host, height, final_height: final, lag, traces } = endpoint;
  const { seconds_since_answer: answeredS, seconds_since_error: failedS } = endpoint;
  const parts = [
    endpoint.reachable ? "answers" : "does not answer",
    ...height === null ? [] : [`at block ${height}`],
    ...final === null ? [] : [`final to ${final}`],
    ...lag ? [`${lag} behind`] : [],
    ...traces === null ? [] : [traces ? "traces" : "no traces"],
    ...pushText(endpoint),
    answeredS === null ? "never answered" : `answered ${answeredS} s ago`,
    ...endpoint.last_error === null ? [] : [`error ${failedS} s ago: ${endpoint.last_error}`],
  ];
  return `${host}: ${parts.join(", ")}`;
}

function pushText({ pushes, push_error: error }: EndpointShape): string[] {
  if (pushes === null) return [];
  if (pushes) return ["pushes heads"];
  return [error === null ? "its socket has pushed nothing yet" : `its socket fails: ${error}`];
}

function secondsSince(ms: number | null, nowMs: number): number | null {
  return ms === null ? null : Math.max(0, Math.floor((nowMs - ms) / 1000));
}
