import type { Context } from "hono";
import type { Deps } from "../actions/deps.ts";
import { isNewestKey } from "../actions/integrity/newest.ts";
import { createKeyUseNotes } from "../actions/access/note_key_use.ts";
import { randomBytes, utf8 } from "../base/bytes.ts";
import { type Cidr, parseCidr } from "../base/net/cidr.ts";
import { importHmacKey, sha256HexNow, Signatures } from "../base/secrets/crypto.ts";
import { ipSource } from "../base/net/ip_source.ts";
import { Lru } from "../base/lru.ts";
import { fullBucket, takeToken, type TokenBucket } from "../base/waiting/token_bucket.ts";
import { canonicalRequest, isTimely } from "../domain/canonical_request.ts";
import { Refused } from "../domain/refusal.ts";
import { type ApiKeyRow, ApiKeys, apiSecretContext } from "../store/tables/setup.ts";
import { isListed } from "../base/net/client_ip.ts";
import { bodyReader } from "./read_body.ts";
import type { HttpEnv, RequestState } from "./request_state.ts";

const KEYS_CACHED_MAX = 10_000;
const SOURCES_REMEMBERED_MAX = 10_000;
const DECOY_BYTES = 32;
/** Somebody may change the database without our programs, which changes no version. */
const READ_AGAIN_MS = 1_000;

interface KnownKey {
  readonly row: ApiKeyRow;
  readonly hmacKey: CryptoKey;
  readonly ipList: readonly Cidr[];
  readonly isCached: boolean;
  readonly readAtMs: number;
}

export type Authenticate = (c: Context<HttpEnv>) => Promise<void>;

/** Failures that count against their source. */
type Unauthorized = "missing_authentication" | "invalid_signature" | "timestamp_out_of_window";

/** Authenticates the sender by the signature over what was sent (spec 5). */
export function createAuthentication(
  deps: Deps,
  { failuresPerMinute, bodyTimeoutMs }: { failuresPerMinute: number; bodyTimeoutMs: number },
): Authenticate {
  const readBody = bodyReader(bodyTimeoutMs);
  const signatures = new Signatures();
  const keys = keySource(deps);
  const noteUse = createKeyUseNotes(deps);
  const countFailure = failureThrottle(deps, failuresPerMinute);
  const unauthorized = ({ ip }: RequestState, code: Unauthorized) => {
    countFailure(ipSource(ip));
    return new Refused(code);
  };

  return async function authenticate({ req: { raw: request }, env: { state } }) {
    const keyId = request.headers.get("x-cpg-key");
    const timestamp = request.headers.get("x-cpg-timestamp");
    const signature = request.headers.get("x-cpg-signature");
    if (!keyId || !timestamp || !signature) throw unauthorized(state, "missing_authentication");
    state.body = await readBody(request);
    const { method } = request;
    const bodyHashHex = sha256HexNow(state.body);
    const message = canonicalRequest({ timestamp, method, target: state.target, bodyHashHex });
    const known = await keys.find(keyId);
    const key = known?.hmacKey ?? await keys.decoy();
    if (!await signatures.isRight({ key, signature, message }) || !known) {
      // An unknown key took a look-up, so a cached one gets one too and both take equally long.
      if (known?.isCached) await deps.db.find(ApiKeys, [keyId]);
      throw unauthorized(state, "invalid_signature");
    }
    if (!isTimely(timestamp, deps.clock.nowMs())) {
      throw unauthorized(state, "timestamp_out_of_window");
    }
    if (known.ipList.length > 0 && !isListed(state.ip, known.ipList)) {
      throw new Refused("ip_not_allowed");
    }
    state.key = known.row;
    state.signature = signature;
    state.timestampS = Number(timestamp);
    noteUse({ keyId, ip: state.ip });
  };
}

interface KeySource {
  find(keyId: string): KnownKey | Promise<KnownKey | undefined>;
  /** Stands in for an unknown key, so that verifying takes as long as with a wrong signature. */
  decoy(): Promise<CryptoKey>;
}

/** Opened keys. A key that is revoked or tampered with stops working within a second. */
function keySource(deps: Deps): KeySource {
  const cache = new Lru<string, KnownKey>(KEYS_CACHED_MAX);
  const decoy = importHmacKey(randomBytes(DECOY_BYTES));
  let version = -1;

  async function look(keyId: string): Promise<KnownKey | undefined> {
    const catalog = await deps.catalog.current();
    if (catalog.version !== version) {
      cache.clear();
      version = catalog.version;
    }
    const cached = recent(keyId);
    if (cached) return cached;
    const readAtMs = deps.clock.nowMs();
    const row = await deps.db.find(ApiKeys, [keyId]);
    if (!row || row.revokedAtMs !== null || !await isNewestKey(deps, row)) return undefined;
    const opened = { ...await openKey(deps, row), readAtMs, isCached: false };
    // What was read before a change must not stay cached after it.
    if (version === catalog.version) cache.set(keyId, { ...opened, isCached: true });
    return opened;
  }

  function recent(keyId: string): KnownKey | undefined {
    const known = cache.get(keyId);
    const ageMs = known === undefined ? 0 : deps.clock.nowMs() - known.readAtMs;
    return ageMs >= 0 && ageMs < READ_AGAIN_MS ? known : undefined;
  }

  return {
    decoy: () => decoy,
    find: (keyId) => {
      const isCurrent = deps.catalog.fresh()?.version === version;
      return (isCurrent ? recent(keyId) : undefined) ?? look(keyId);
    },
  };
}

async function openKey(
  deps: Deps,
  row: ApiKeyRow,
): Promise<Pick<KnownKey, "row" | "hmacKey" | "ipList">> {
  const secret = await deps.vault.open(row.secretSealed, apiSecretContext(row.keyId));
  const ipList = row.ipList.map(parseCidr).filter((cidr) => cidr !== undefined);
  return { row, hmacKey: await importHmacKey(utf8(secret)), ipList };
}

/** Failures count against their source address only; they never delay a correct signature. */
function failureThrottle(deps: Deps, perMinute: number): (ip: string) => void {
  const sources = new Lru<string, TokenBucket>(SOURCES_REMEMBERED_MAX);
  return (ip) => {
    const nowMs = deps.clock.nowMs();
    const bucket = sources.get(ip) ?? fullBucket(perMinute, nowMs);
    sources.set(ip, bucket);
    const { isAllowed, retryAfterS } = takeToken(bucket, perMinute, nowMs);
    if (!isAllowed) throw new Refused("rate_limited", { retryAfterS });
  };
}
