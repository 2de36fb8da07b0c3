import type { Context } from "hono";
import { claimWrite } from "../../books/claim_signature.ts";
import type { Actor, Deps } from "../../deps/deps.ts";
import { Refused, TooManyTries } from "../../domain/refusal.ts";
import { type ActionRefusalCode, ActionRefused } from "../../domain/refusals/refuse.ts";
import { signedCaller } from "../caller.ts";
import type { HttpEnv } from "../request_state.ts";

/** It ends, decides or completes something that is there. */
export const URGENT = { isUrgent: true } as const;

/** Who changes something, once its signature is used up. A suspended account changes nothing. */
export async function writerOf(
  deps: Deps,
  c: Context<HttpEnv>,
  how: Parameters<typeof claimWrite>[2] = {},
): Promise<{ accountId: number; actor: Actor }> {
  const caller = signedCaller(c);
  await claimWrite(deps, caller, how);
  const { accountId, keyId } = caller;
  return { accountId, actor: { name: `api:${keyId}`, ip: c.env.state.ip } };
}

/** What actions refuse to people, as the API says it. */
export async function asRefused<T>(acting: Promise<T>): Promise<T> {
  try {
    return await acting;
  } catch (error) {
    if (error instanceof TooManyTries) {
      throw new Refused("rate_limited", { retryAfterS: error.retryAfterS });
    }
    const refused = error instanceof ActionRefused && REFUSALS[error.code];
    throw refused ? refused(error) : error;
  }
}

const REFUSALS: { readonly [C in ActionRefusalCode]?: (error: ActionRefused) => Refused } = {
  webhook_unknown: () => new Refused("not_found"),
  payment_link_unknown: () => new Refused("not_found"),
  event_unknown: () => new Refused("not_found"),
  webhooks_too_many: ({ message }) => invalid("url", message),
  event_not_taken: ({ message }) => invalid("event_id", message),
};

function invalid(field: string, message: string): Refused {
  return new Refused("validation_failed", { fields: [{ field, message }] });
}
