import type { Call, Reply } from "../../../src/sandbox/tron_node/api/server.ts";
import { printJson } from "../../../src/sandbox/tron_node/api/json.ts";
import { errorAnswer } from "../../../src/sandbox/tron_node/api/request.ts";

/** A fault that replaces the answer to a call, or happens on its way. */
export type Fault =
  /** The connection dies, before or after the node has seen the request. */
  | { readonly drop: "before" | "after" }
  /** Status 200 with `Error`: the rate limiter of java-tron. */
  | "overloaded"
  | { readonly status?: number; readonly body: string; readonly isForwarded?: boolean }
  /** Gets the answer as text and gives back another. */
  | { readonly edit: (body: string) => string };

export type OnCall = (call: Call) => Fault | undefined | void | Promise<Fault | undefined | void>;

/** A node that is too busy answers this with status 200. */
const OVERLOADED = errorAnswer({
  name: "java.lang.IllegalAccessException",
  message: "lack of computing resources",
});

export function befall(fault: Fault | undefined, forward: () => Reply): Reply | "drop" {
  if (fault === undefined) return forward();
  if (fault === "overloaded") return { status: 200, body: printJson(OVERLOADED) };
  if ("edit" in fault) {
    const { status, body } = forward();
    return { status, body: fault.edit(body) };
  }
  if ("drop" in fault) {
    if (fault.drop === "after") forward();
    return "drop";
  }
  if (fault.isForwarded) forward();
  return { status: fault.status ?? 200, body: fault.body };
}
