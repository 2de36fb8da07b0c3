import type { Context } from "hono";
import { HAND_KEY_PREFIX } from "../access/manage_api_keys.ts";
import { createKeyUseNotes } from "../access/note_key_use.ts";
import {
  type ApiKeyRow,
  ApiKeys,
  apiSecretContext,
  type RoleKeyRow,
  RoleKeys,
} from "../access/tables/keys.ts";
import { randomBytes, utf8 } from "../base/bytes.ts";
import { Lru } from "../base/lru.ts";
import { type Cidr, parseCidr } from "../base/net/cidr.ts";
import { isListed } from "../base/net/client_ip.ts";
import { importHmacKey, sha256Hex, Signatures } from "../base/secrets/crypto.ts";
import { SourceBuckets } from "../base/waiting/source_buckets.ts";
import type { Deps } from "../deps/deps.ts";
import { canonicalRequest, isTimely } from "../domain/canonical_request.ts";
import { Refused } from "../domain/refusal.ts";
import { bodyReader } from "./read_body.ts";
import { type Denial, deny, type HttpEnv, type RequestState } from "./request_state.ts";
import { isNewestKey, isNewestRoleKey } from "../integrity/newest.ts";

const KEYS_CACHED_MAX = 10_000;
const SOURCES_REMEMBERED_MAX = 10_000;
const DECOY_BYTES = 32;
/** Somebody may change the database without our programs, which changes no version. */
const READ_AGAIN_MS = 1_000;

interface KnownKey {
  readonly row: ApiKeyRow | RoleKeyRow;
  readonly hmacKey: CryptoKey;
  readonly ipList: readonly Cidr[];
  readonly isCached: boolean;
  readonly readAtMs: number;
}

interface UnusableKey {
  readonly why: "unknown_key" | "revoked_key" | "tampered_key";
  /** Of a revoked key that was in use. */
  readonly accountId?: number;
}

export type Authenticate = (c: Context<HttpEnv>) => Promise<void>;

/** Failures that count against their source. */
type Unauthorized = "missing_authentication" | "invalid_signature" | "timestamp_out_of_window";

interface Failure extends Partial<Denial> {
  readonly code: Unauthorized;
}

/** Authenticates the sender by the signature over what was sent (spec 5). */
export function createAuthentication(
  deps: Deps,
  { failuresPerMinute, bodyTimeoutMs }: { failuresPerMinute: number; bodyTimeoutMs: number },
): Authenticate {
  const readBody = bodyReader(bodyTimeoutMs);
  const signatures = new Signatures();
  const keys = keySource(deps);
  const noteUse = createKeyUseNotes(deps);
  const unauthorized = createUnauthorized(deps, failuresPerMinute);

  return async function authenticate({ req: { raw: request }, env: { state } }) {
    const keyId = request.headers.get("x-cpg-key");
    const timestamp = request.headers.get("x-cpg-timestamp");
    const signature = request.headers.get("x-cpg-signature");
    if (!keyId || !timestamp || !signature) {
      throw unauthorized(state, { code: "missing_authentication", keyId });
    }
    state.body = await readBody(request);
    const signed = { timestamp, method: request.method, target: state.target };
    const message = canonicalRequest({ ...signed, bodyHashHex: sha256Hex(state.body) });
    const found = await keys.find(keyId);
    const known = "why" in found ? undefined : found;
    const key = known?.hmacKey ?? await keys.decoy();
    if (!await signatures.isRight({ key, signature, message }) || !known) {
      // An unknown key took these look-ups, so a cached one gets them too and both take equally long.
      if (known?.isCached) {
        await deps.db.find(ApiKeys, [keyId]);
        await deps.db.find(RoleKeys, [keyId]);
      }
      throw unauthorized(state, { code: "invalid_signature", keyId, ...whyOf(found, message) });
    }
    const nowMs = deps.clock.nowMs();
    if (!isTimely(timestamp, nowMs)) {
      const { accountId } = known.row;
      const denial = { reason: "clock_skew", keyId, accountId, skewS: skewOf(timestamp, nowMs) };
      throw unauthorized(state, { code: "timestamp_out_of_window", ...denial });
    }
    checkAddress(state, known);
    if ("role" in known.row) state.roleKey = known.row;
    else state.key = known.row;
    state.signature = signature;
    state.timestampS = Number(timestamp);
    noteUse({ keyId, ip: state.ip });
  };
}

function whyOf(found: KnownKey | UnusableKey, canonical: string): Denial {
  return "why" in found
    ? { reason: found.why, accountId: found.accountId }
    : { reason: "bad_signature", accountId: found.row.accountId, canonical };
}

function createUnauthorized(deps: Deps, failuresPerMinute: number) {
  const countFailure = failureThrottle(deps, failuresPerMinute);
  return (state: RequestState, { code, ...denial }: Failure): Refused => {
    deny(state, { reason: code, ...denial });
    countFailure(state.ip);
    return new Refused(code);
  };
}

function checkAddress(
  state: RequestState,
  { row: { keyId, accountId }, ipList }: KnownKey,
): void {
  if (ipList.length === 0 || isListed(state.ip, ipList)) return;
  deny(state, { reason: "ip_not_listed", keyId, accountId });
  throw new Refused("ip_not_allowed");
}

function skewOf(timestamp: string, nowMs: number): number {
  return Math.round(Number(timestamp) - nowMs / 1000);
}

interface KeySource {
  find(keyId: string): KnownKey | Promise<KnownKey | UnusableKey>;
  /** Stands in for an unknown key, so that verifying takes as long as with a wrong signature. */
  decoy(): Promise<CryptoKey>;
}

/** Opened keys. A key that is revoked or tampered with stops working within a second. */
function keySource(deps: Deps): KeySource {
  const cache = new Lru<string, KnownKey>(KEYS_CACHED_MAX);
  const decoy = importHmacKey(randomBytes(DECOY_BYTES));
  const lookTogether = shared(look);
  let version = -1;

  async function look(keyId: string): Promise<KnownKey | UnusableKey> {
    const catalog = await deps.catalog.current();
    if (catalog.version !== version) {
      cache.clear();
      version = catalog.version;
    }
    const cached = recent(keyId);
    if (cached) return cached;
    const readAtMs = deps.clock.nowMs();
    const row = await deps.db.find(ApiKeys, [keyId]) ?? await deps.db.find(RoleKeys, [keyId]);
    if (!row) return { why: "unknown_key" };
    if (row.revokedAtMs !== null) return revoked(row);
    const isNewest = "role" in row ? isNewestRoleKey(deps, row) : isNewestKey(deps, row);
    if (!await isNewest) return { why: "tampered_key" };
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
      return (isCurrent ? recent(keyId) : undefined) ??
        lookTogether(keyId, deps.db.configWrites());
    },
  };
}

/** Anybody can name the keys of manual withdrawals, which never signed anything. */
function revoked({ keyId, accountId }: ApiKeyRow | RoleKeyRow): UnusableKey {
  const why = "revoked_key";
  const isNobodys = accountId === null || keyId.startsWith(HAND_KEY_PREFIX);
  return isNobodys ? { why } : { why, accountId };
}

/** Requests that arrive together share a look, unless something was changed since it began. */
function shared<T>(
  look: (keyId: string) => Promise<T>,
): (keyId: string, writes: number) => Promise<T> {
  const looks = new Map<string, Promise<T>>();
  return (keyId, writes) => {
    const name = `${writes}/${keyId}`;
    return looks.getOrInsertComputed(name, () => look(keyId).finally(() => looks.delete(name)));
  };
}

async function openKey(
  deps: Deps,
  row: ApiKeyRow | RoleKeyRow,
): Promise<Pick<KnownKey, "row" | "hmacKey" | "ipList">> {
  const secret = await deps.vault.open(row.secretSealed, apiSecretContext(row.keyId));
  const ipList = row.ipList.map(parseCidr).filter((cidr) => cidr !== undefined);
  return { row, hmacKey: await importHmacKey(utf8(secret)), ipList };
}

/** Failures count against their source address only; they never delay a correct signature. */
function failureThrottle(deps: Deps, perMinute: number): (ip: string) => void {
  const sources = new SourceBuckets(perMinute, { sourcesMax: SOURCES_REMEMBERED_MAX });
  return (ip) => {
    const { isAllowed, retryAfterS } = sources.take(ip, deps.clock.nowMs());
    if (!isAllowed) throw new Refused("rate_limited", { retryAfterS });
  };
}
