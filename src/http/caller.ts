import type { Context } from "hono";
import { present } from "../base/assert.ts";
import { TIMESTAMP_TOLERANCE_S } from "../domain/canonical_request.ts";
import { Refused } from "../domain/refusal.ts";
import type { HttpEnv } from "./request_state.ts";

export function accountOf(c: Context<HttpEnv>): number {
  return present(c.env.state.key, "The request is authenticated").accountId;
}

/** Who signed a write, with the signature, which must not be used twice. */
export function signedCaller(c: Context<HttpEnv>) {
  const { key, ip } = c.env.state;
  const { accountId, keyId } = present(key, "The request is authenticated");
  return { accountId, keyId, ip, ...signatureOf(c) };
}

export function signatureOf({ env: { state } }: Context<HttpEnv>) {
  const { signature, timestampS } = state;
  return {
    signature: present(signature, "The request is signed").toLowerCase(),
    signatureExpiresAtMs:
      (present(timestampS, "The request is signed") + TIMESTAMP_TOLERANCE_S + 1) * 1000,
    onStored: () => void (state.isSignatureStored = true),
  };
}

/** Ids are positive integers; anything else is no record. */
export function idParam(c: Context<HttpEnv>, name: string): number {
  const text = c.req.param(name) ?? "";
  if (!/^\d{1,15}$/.test(text)) throw new Refused("not_found");
  return Number(text);
}

/** Another account's record and a missing one get the same answer (spec 1, ownership). */
export function owned<T extends { readonly accountId: number }>(
  row: T | undefined,
  accountId: number,
): T {
  if (row?.accountId !== accountId) throw new Refused("not_found");
  return row;
}
