import type { Handler } from "hono";
import type { z } from "zod";
import type { Deps } from "../actions/deps.ts";
import type { Permission } from "../domain/permissions.ts";
import type { RefusalCode } from "../domain/refusal.ts";
import type { HttpEnv } from "./request_state.ts";

/** Everything about one endpoint: the router, the document and the client are made from it. */
export interface Endpoint {
  readonly method: "GET" | "POST";
  /** As the document writes it: "/v1/withdrawals/{withdrawal_id}". */
  readonly path: string;
  readonly operationId: string;
  readonly permission: Permission;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The field of the body that makes repeating it safe. */
  readonly reference?: "client_reference" | "idempotency_key";
  /** `data` of a successful answer: one row of it, for a list. */
  readonly data: z.ZodType;
  readonly list?: "whole" | "pages";
  readonly message?: string;
  /** In addition to those of every endpoint. */
  readonly refusals: readonly RefusalCode[];
  readonly example: Example;
  readonly handle: (deps: Deps) => Handler<HttpEnv>;
}

interface Example {
  readonly path?: Readonly<Record<string, number | string>>;
  readonly query?: Readonly<Record<string, number | string>>;
  readonly body?: object;
  /** Of one row, for a list. */
  readonly data: object;
}

/** "/v1/withdrawals/{withdrawal_id}" as the router writes it. */
export function routePattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}
