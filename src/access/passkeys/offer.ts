import type { RelyingParty } from "../rules/relying_party.ts";
import { passkeysOf } from "../rules/second_factors.ts";
import { utf8 } from "../../base/bytes.ts";
import type { SessionRow, UserRow } from "../tables/users.ts";
import type { Deps } from "../../deps/deps.ts";
import { newChallenge } from "./challenges.ts";

const TIMEOUT_MS = 120_000;
/** Ed25519, P-256 and RSA: what authenticators have. */
export const ALGORITHMS = [-8, -7, -257];

interface Asking {
  readonly session: SessionRow;
  readonly user: UserRow;
  readonly site: RelyingParty;
}

/** What a browser needs to make a passkey, as JSON. */
export async function askToCreate(deps: Deps, { session, user, site }: Asking): Promise<string> {
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const options = await generateRegistrationOptions({
    rpID: site.id,
    rpName: "CPG",
    userID: utf8(`user:${user.id}`),
    userName: user.email,
    userDisplayName: user.email,
    challenge: await newChallenge(deps, { session, purpose: "create" }),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    excludeCredentials: credentialsAt(site, user),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return JSON.stringify(options);
}

/** What a browser needs to use one of the user's passkeys, as JSON. Undefined if none works here. */
export async function askToProve(
  deps: Deps,
  { session, user, site }: Asking,
): Promise<string | undefined> {
  const allowCredentials = credentialsAt(site, user);
  if (allowCredentials.length === 0) return undefined;
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    challenge: await newChallenge(deps, { session, purpose: "prove" }),
    timeout: TIMEOUT_MS,
    userVerification: "required",
    allowCredentials,
  });
  return JSON.stringify(options);
}

function credentialsAt(site: RelyingParty, user: UserRow) {
  return passkeysOf(user).filter(({ rpId }) => rpId === site.id)
    .map(({ id, transports }) => ({ id, transports: [...transports] }));
}
