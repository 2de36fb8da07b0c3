import { fromBase64Url, toBase64Url } from "../../base/bytes.ts";
import { present } from "../../base/assert.ts";
import type { RelyingParty } from "../rules/relying_party.ts";
import { type Passkey, passkeysOf, TRANSPORTS } from "../rules/second_factors.ts";
import type { SessionRow, UserRow } from "../tables/users.ts";
import type { Deps } from "../../deps/deps.ts";
import { challengeMadeMs } from "./challenges.ts";
import { ALGORITHMS } from "./offer.ts";
import { readCreated, readProven } from "./read_answer.ts";

const URL_SAFE = { alphabet: "base64url" } as const;
const PUBLIC_KEY_BYTES_MAX = 1_024;

/** What a browser answered, in the session that it was asked in. */
interface PasskeyAnswer {
  readonly answer: string;
  readonly session: SessionRow;
  /** Undefined: passkeys don't work at this address. */
  readonly site: RelyingParty | undefined;
}

/** What somebody typed, or what their browser made with a passkey. */
export type Given = string | PasskeyAnswer;

interface MadePasskey extends Pick<Passkey, "id" | "publicKey" | "counter" | "transports"> {
  readonly challengeMs: number;
}

export async function checkCreated(
  deps: Deps,
  { answer, session, site }: PasskeyAnswer,
): Promise<MadePasskey | undefined> {
  const response = readCreated(answer);
  if (!response || !site) return undefined;
  const { challenge } = response;
  const challengeMs = await challengeMadeMs(deps, { challenge, session, purpose: "create" });
  if (challengeMs === undefined || !await hasNoMaker(response.response)) return undefined;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { registrationInfo } = await orUnverified(() =>
    verifyRegistrationResponse({
      ...expected(site),
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      supportedAlgorithmIDs: ALGORITHMS,
    })
  );
  if (!registrationInfo) return undefined;
  const { id, publicKey, counter } = registrationInfo.credential;
  if (publicKey.length > PUBLIC_KEY_BYTES_MAX || id !== response.id) return undefined;
  // Others are known to no browser that we ask.
  const transports = TRANSPORTS.filter((one) => response.response.transports.includes(one));
  return { id, publicKey: toBase64Url(publicKey), counter, transports, challengeMs };
}

export interface PasskeyProof {
  readonly kind: "passkey";
  readonly id: string;
  readonly counter: number;
  readonly challengeMs: number;
}

/** The counter is compared where it is changed. */
export async function checkProven(
  deps: Deps,
  { user, answer, session, site }: PasskeyAnswer & { user: UserRow },
): Promise<PasskeyProof | undefined> {
  const response = readProven(answer);
  if (!response || !site) return undefined;
  const passkey = passkeysOf(user).find(({ id, rpId }) => id === response.id && rpId === site.id);
  const { id, challenge } = response;
  const challengeMs = await challengeMadeMs(deps, { challenge, session, purpose: "prove" });
  if (!passkey || challengeMs === undefined) return undefined;
  const publicKey = present(fromBase64Url(passkey.publicKey), "It was stored in base64url");
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { verified, authenticationInfo } = await orUnverified(() =>
    verifyAuthenticationResponse({
      ...expected(site),
      response: { ...response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      credential: { id, publicKey, counter: 0 },
    })
  );
  if (!verified || !authenticationInfo) return undefined;
  return { kind: "passkey", id, counter: authenticationInfo.newCounter, challengeMs };
}

function expected({ id, origin }: RelyingParty) {
  return { expectedOrigin: origin, expectedRPID: id, requireUserVerification: true };
}

/** Makers' statements aren't asked for, and checking one may ask servers that it names. */
async function hasNoMaker({ attestationObject }: { attestationObject: string }): Promise<boolean> {
  const { decodeAttestationObject } = await import("@simplewebauthn/server/helpers");
  const { format, maker } = await orUnverified(() => {
    const made = decodeAttestationObject(Uint8Array.fromBase64(attestationObject, URL_SAFE));
    return { format: made.get("fmt"), maker: made.get("attStmt").get("x5c") };
  });
  return format === "none" || format === "packed" && maker === undefined;
}

type Unverified<T> = T | { readonly [F in keyof T]?: undefined };

/** The library throws errors of many kinds about what no browser of ours sends. */
async function orUnverified<T extends object>(check: () => T | Promise<T>): Promise<Unverified<T>> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof Error) return {};
    throw error;
  }
}
