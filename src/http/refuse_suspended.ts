import type { Context } from "hono";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { Accounts } from "../store/tables/setup.ts";
import { type HttpEnv, signerOf } from "./request_state.ts";

const WRITES: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);
/** It writes nothing, and reports the suspension itself. */
const CHECK = "/v1/withdrawals/check";

/** Writes that match no endpoint are refused in the same way. */
export async function refuseSuspended({ db }: Deps, c: Context<HttpEnv>): Promise<void> {
  if (!WRITES.has(c.req.method) || c.req.path === CHECK) return;
  const { accountId } = signerOf(c.env.state);
  const account = accountId === null ? undefined : await db.find(Accounts, [accountId]);
  if (account && account.suspendedAtMs !== null) throw new Refused("account_suspended");
}
