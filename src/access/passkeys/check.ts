import { challengeMadeMs } from "./challenges.ts";
import { ALGORITHMS } from "./offer.ts";
import type { RelyingParty } from "../rules/relying_party.ts";
import { type Passkey, passkeysOf, TRANSPORTS } from "../rules/second_factors.ts";
import type { SessionRow, UserRow } from "../tables/users.ts";
import { present } from "../../base/assert.ts";
import { fromBase64Url, toBase64Url } from "../../base/bytes.ts";
import type { Deps } from "../../deps/deps.ts";
import { z } from "zod";

/** A credential's id has at most 1,023 bytes. */
const ID = base64Url(1_364);
const PART = base64Url(8_000);
const ANSWER_MAX = 24_000;
const TRANSPORTS_MAX = 10;
const TRANSPORT_MAX = 20;

const CREATED = z.object({
  id: ID,
  rawId: ID,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: PART,
    attestationObject: PART,
    transports: z.array(z.string().max(TRANSPORT_MAX)).max(TRANSPORTS_MAX),
  }),
});
const PROVEN = z.object({
  id: ID,
  rawId: ID,
  type: z.literal("public-key"),
  response: z.object({ clientDataJSON: PART, authenticatorData: PART, signature: PART }),
});
const CLIENT_DATA = z.object({
  challenge: base64Url(1_000),
  crossOrigin: z.literal(false).optional(),
});

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

type Answered<T> = T & { readonly challenge: string };

/** What the browser made, as our script writes it down. Undefined if it is anything else. */
export function readCreated(text: string): Answered<z.infer<typeof CREATED>> | undefined {
  return readAnswer(CREATED, text);
}

export function readProven(text: string): Answered<z.infer<typeof PROVEN>> | undefined {
  return readAnswer(PROVEN, text);
}

function readAnswer<T extends { response: { clientDataJSON: string } }>(
  shape: z.ZodType<T>,
  text: string,
): Answered<T> | undefined {
  if (text.length > ANSWER_MAX) return undefined;
  const answer = shape.safeParse(fromJson(text)).data;
  const bytes = answer && fromBase64Url(answer.response.clientDataJSON);
  const said = CLIENT_DATA.safeParse(bytes && fromJson(new TextDecoder().decode(bytes))).data;
  return answer && said && { ...answer, challenge: said.challenge };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function base64Url(max: number) {
  return z.string().min(1).max(max).regex(/^[\w-]+$/);
}
