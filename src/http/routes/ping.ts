import { present } from "../../base/assert.ts";
import type { Handler } from "hono";
import { ok } from "../reply.ts";
import type { HttpEnv } from "../request_state.ts";

export function ping(): Handler<HttpEnv> {
  return (c) =>
    ok(c, { key_id: present(c.env.state.key, "The request is authenticated").keyId }, "pong");
}
