import { Hono } from "hono";
import type { Deps } from "../../../src/deps/deps.ts";
import { answerOf } from "../../../src/http/error_table.ts";
import type { HttpEnv } from "../../../src/http/request_state.ts";
import { createPay } from "../../../src/pay/app.tsx";

/** Payers at other addresses, in one moment. */
export function payInside({ deps, url }: { deps: Deps; url: string }) {
  const clock = { nowMs: () => 1_800_000_000_000 };
  const app = new Hono<HttpEnv>({ getPath: (request) => new URL(request.url).pathname });
  app.onError((error) => new Response(null, { status: answerOf(error).status }));
  app.route("/", createPay({ ...deps, clock }, { bodyTimeoutMs: 1_000 }));
  const begun = { requestId: "r", startedAtMs: 0, route: "", body: new Uint8Array() };
  return async (ip: string, target: string, method = "GET"): Promise<number> => {
    const request = new Request(url + target, { method });
    return (await app.fetch(request, { state: { ...begun, target, ip } })).status;
  };
}
