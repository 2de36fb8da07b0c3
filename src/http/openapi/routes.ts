import { Hono } from "hono";
import type { HttpEnv } from "../request_state.ts";
import { staticAnswer } from "../static_answer.ts";
import { openApiText } from "./document.ts";

const PATH = "/openapi.json";

/** Generators and pages of other sites may read it too. */
const HEADERS = {
  "content-type": "application/json",
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "etag, x-request-id",
  "cross-origin-resource-policy": "cross-origin",
};

/** The document of the API, without a signature. */
export function openApiRoutes(): Hono<HttpEnv> {
  let answer: ReturnType<typeof staticAnswer> | undefined;
  return new Hono<HttpEnv>().get(PATH, ({ req, env: { state } }) => {
    state.route = PATH;
    answer ??= staticAnswer(openApiText(), { headers: HEADERS });
    const response = answer(req.raw);
    response.headers.set("x-request-id", state.requestId);
    return response;
  });
}
