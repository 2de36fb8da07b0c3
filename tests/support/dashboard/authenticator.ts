import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import { findSession } from "../../../src/access/manage_sessions.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { askToCreate } from "../../../src/access/passkeys/offer.ts";
import { present } from "../../../src/base/assert.ts";
import { relyingPartyOf } from "../../../src/access/rules/relying_party.ts";
import type { UserRow } from "../../../src/access/tables/users.ts";
import { toBase64Url, utf8 } from "../../../src/base/bytes.ts";

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** What a browser and an authenticator say, where a test wants them to lie. */
export interface Said {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isVerified?: boolean;
  readonly format?: string;
  readonly statement?: Map<string, unknown>;
  /** Instead of a right one. */
  readonly attestation?: Uint8Array;
}

const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest();

/** A security key in software, with the browser before it. */
export class Authenticator {
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #credential = randomBytes(32);
  /** 0: it doesn't count. */
  counter: number;

  constructor(readonly origin: string, { counter = 0 } = {}) {
    this.counter = counter;
  }

  get id(): string {
    return toBase64Url(this.#credential);
  }

  create(options: string, said: Said = {}): string {
    const { challenge, rp } = JSON.parse(options);
    const length = new Uint8Array([0, this.#credential.length]);
    const credential = [new Uint8Array(16), length, this.#credential, this.#publicKey()];
    const authData = this.#authData({ rpId: rp.id, ...said }, credential);
    const attestation = new Map<string, unknown>([
      ["fmt", said.format ?? "none"],
      ["attStmt", said.statement ?? new Map()],
      ["authData", authData],
    ]);
    const client = this.#client({ type: "webauthn.create", challenge, ...said });
    return this.#answer({
      clientDataJSON: toBase64Url(client),
      attestationObject: toBase64Url(
        said.attestation ?? isoCBOR.encode(attestation as Map<string, string>),
      ),
      transports: ["internal"],
    });
  }

  prove(options: string, said: Said = {}): string {
    const { challenge, rpId } = JSON.parse(options);
    if (this.counter > 0) this.counter++;
    const authData = this.#authData({ rpId, ...said });
    const client = this.#client({ type: "webauthn.get", challenge, ...said });
    const signed = Buffer.concat([authData, sha256(client)]);
    return this.#answer({
      clientDataJSON: toBase64Url(client),
      authenticatorData: toBase64Url(authData),
      signature: toBase64Url(sign("sha256", signed, this.#keys.privateKey)),
    });
  }

  #answer(response: Record<string, unknown>): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: "public-key", response });
  }

  #client({ type, challenge, origin = this.origin, crossOrigin = false }: Said): Uint8Array {
    return utf8(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  #authData({ rpId = "", isVerified = true }: Said, credential: Uint8Array[] = []): Uint8Array {
    const verified = isVerified ? USER_VERIFIED : 0;
    const flags = USER_PRESENT | verified | (credential.length > 0 ? HAS_CREDENTIAL : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(this.counter, 1);
    return new Uint8Array(Buffer.concat([sha256(rpId), head, ...credential]));
  }

  /** In COSE's form: P-256 with SHA-256. */
  #publicKey(): Uint8Array {
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]);
    return isoCBOR.encode(key as Map<number, number>);
  }
}

/** What the browser of a signed-in user makes of a new passkey on the gateway's own pages. */
export async function newPasskey(
  deps: Deps,
  { user, token, url }: { user: UserRow; token: string; url: string },
) {
  const site = present(relyingPartyOf(url, new URL(url)), "a local address");
  const { session } = present(await findSession(deps, token), "a session");
  const authenticator = new Authenticator(site.origin);
  const answer = authenticator.create(await askToCreate(deps, { session, user, site }));
  return { answer, id: authenticator.id, session, site };
}
