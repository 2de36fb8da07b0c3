import { z } from "zod";
import type { Endpoint } from "../endpoint.ts";
import { ok } from "../reply.ts";
import { signerOf } from "../request_state.ts";

/** Spec 4.1 */
export const ping: Endpoint = {
  method: "GET",
  path: "/v1/_ping",
  operationId: "ping",
  permission: "read_balance",
  tag: "Account",
  summary: "Check credentials",
  description: "Returns the id of the key that signed the request.",
  data: z.object({ key_id: z.string() }).meta({ id: "Ping" }),
  message: "pong",
  refusals: [],
  example: { data: { key_id: "cpg_9KyqLn3vXw" } },
  handle: () => (c) => ok(c, { key_id: signerOf(c.env.state).keyId }, "pong"),
};
