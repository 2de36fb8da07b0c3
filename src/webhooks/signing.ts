import { type WebhookEndpointRow, webhookSecretContext } from "./tables/webhooks.ts";
import type { Attempt } from "./post/send.ts";
import { signed, signingKey } from "./post/sign.ts";
import type { Deps } from "../deps/deps.ts";

export function webhookSubject(id: number): { subject: string } {
  return { subject: `webhook:${id}` };
}

/** The keys that sign now; a rotated one only until `untilMs`. */
export interface SigningKeys {
  readonly current: CryptoKey;
  readonly old: { readonly key: CryptoKey; readonly untilMs: number } | undefined;
}

export async function openSigningKeys(
  { vault }: Pick<Deps, "vault">,
  row: WebhookEndpointRow,
): Promise<SigningKeys> {
  const context = webhookSecretContext(row.secretName);
  const open = async (sealed: string) => signingKey(await vault.open(sealed, context));
  const { oldSecretSealed, oldSecretUntilMs } = row;
  return {
    current: await open(row.secretSealed),
    old: oldSecretSealed === null
      ? undefined
      : { key: await open(oldSecretSealed), untilMs: oldSecretUntilMs ?? 0 },
  };
}

export async function sendSigned(
  { webhooks, clock }: Pick<Deps, "webhooks" | "clock">,
  { url, owner, keys, ...message }: {
    url: string;
    owner: number;
    keys: SigningKeys;
    id: string;
    body: string;
  },
): Promise<Attempt> {
  const atMs = clock.nowMs();
  const isOldLive = keys.old !== undefined && atMs < keys.old.untilMs;
  const live = isOldLive ? [keys.current, keys.old!.key] : [keys.current];
  return await webhooks.send({ url, owner, ...await signed(message, { keys: live, atMs }) });
}
