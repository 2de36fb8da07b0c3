import type { Context, Handler } from "hono";
import { z } from "zod";
import type { Deps } from "../deps/deps.ts";
import type { Permission } from "../access/rules/permissions.ts";
import type { RefusalCode } from "../domain/refusal.ts";
import type { HttpEnv } from "./request_state.ts";
import { type StrictInput, strictInput } from "./strict_input.ts";

/** Everything about one endpoint: the router, the document and the client are made from it. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As the document writes it: "/v1/withdrawals/{withdrawal_id}". */
  readonly path: string;
  readonly operationId: string;
  readonly permission: Permission;
  /** A second one that it takes. */
  readonly alsoNeeds?: Permission;
  readonly summary: string;
  readonly description: string;
  readonly tag: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The field of the body that makes repeating it safe. */
  readonly reference?: "client_reference" | "idempotency_key";
  /** `data` of a successful answer: one row of it, for a list. */
  readonly data: z.ZodType;
  readonly list?: "whole" | "pages" | "opaque pages";
  readonly message?: string;
  /** In addition to those of every endpoint. */
  readonly refusals: readonly RefusalCode[];
  /** Unknown and repeated parameters and unknown fields are a 422; `strict` makes such endpoints. */
  readonly isStrict?: true;
  /** The same list, whole, with `Accept: text/csv`. */
  readonly hasCsv?: true;
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

type Strict<Q extends z.ZodObject, B extends z.ZodObject> =
  & Omit<Endpoint, "query" | "body" | "isStrict" | "handle">
  & {
    readonly query?: Q;
    readonly body?: B;
    readonly handle: (
      deps: Deps,
    ) => (c: Context<HttpEnv>, input: StrictInput<Q, B>) => Promise<Response>;
  };

const NOTHING = z.object({});

/** An endpoint whose handler only sees requests that match its schemas exactly. */
export function strict<
  Q extends z.ZodObject = typeof NOTHING,
  B extends z.ZodObject = typeof NOTHING,
>(endpoint: Strict<Q, B>): Endpoint {
  const {
    refusals,
    handle,
    query = NOTHING as z.ZodObject as Q,
    body = NOTHING as z.ZodObject as B,
  } = endpoint;
  return {
    ...endpoint,
    isStrict: true,
    refusals: [...new Set<RefusalCode>(["validation_failed", ...refusals])],
    handle: (deps) => {
      const answer = handle(deps);
      return (c) => answer(c, strictInput(c.env.state, { query, body }));
    },
  };
}

/** "/v1/withdrawals/{withdrawal_id}" as the router writes it. */
export function routePattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

export function permissionsOf({ permission, alsoNeeds }: Endpoint): Permission[] {
  return alsoNeeds ? [permission, alsoNeeds] : [permission];
}
