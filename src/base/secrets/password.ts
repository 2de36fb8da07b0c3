import { present } from "../assert.ts";
import { first } from "../lists.ts";
import { scrypt, timingSafeEqual } from "node:crypto";
import { fromBase64, randomBytes, toBase64, utf8 } from "../bytes.ts";
import { type Asker, Turns } from "../waiting/turns.ts";

export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MB and about half a second per guess. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 17, r: 8, p: 1 };
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Each check needs that memory, so others wait, and if too many wait, they are turned away. */
const LIMITS = { atOnce: 2, strangersAtOnce: 1, waitingMax: 40, waitMs: 5_000 };
export const KNOWN: Asker = { isKnown: true };

/** One for each program, whose processor and memory they share. */
export class Passwords {
  readonly #cost: PasswordCost;
  readonly #turns = new Turns(LIMITS, () => performance.now());
  /** Matches no password, but takes as long to check as any. */
  readonly decoyHash: string;

  constructor(cost: PasswordCost) {
    this.#cost = cost;
    this.decoyHash = hashText(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
  }

  /**
   * `scrypt$131072$8$1$salt$key`: each hash carries its own parameters. With the salt of another, one
   * guess is compared with both in the time of one.
   */
  hash(password: string, { like }: { like?: string | undefined } = {}): Promise<string> {
    return this.#turns.run(KNOWN, async () => {
      const salt = like === undefined ? randomBytes(SALT_BYTES) : paramsOf(like).salt;
      return hashText(this.#cost, salt, await derive(password, { ...this.#cost, salt }));
    });
  }

  /** All of `work` waits for the turn, so a try that is turned away has no effect. */
  guess<T>(
    asker: Asker,
    work: (isPassword: typeof matches, matchIn: typeof matchAmong) => Promise<T>,
  ): Promise<T> {
    return this.#turns.run(asker, () => work(matches, matchAmong));
  }
}

function hashText({ N, r, p }: PasswordCost, salt: Uint8Array, key: Uint8Array): string {
  return ["scrypt", N, r, p, toBase64(salt), toBase64(key)].join("$");
}

async function matches(password: string, hash: string): Promise<boolean> {
  return await matchAmong(password, [hash]) !== undefined;
}

/** The first of these hashes that the password has. Those with the same salt take as long as one. */
async function matchAmong(
  password: string,
  hashes: readonly string[],
): Promise<string | undefined> {
  const bySalt = Map.groupBy(hashes, (hash) => hash.slice(0, hash.lastIndexOf("$")));
  const found = new Set<string>();
  for (const alike of bySalt.values()) {
    const key = await derive(password, paramsOf(first(alike)));
    for (const hash of alike) if (timingSafeEqual(key, paramsOf(hash).key)) found.add(hash);
  }
  return hashes.find((hash) => found.has(hash));
}

function paramsOf(hash: string): PasswordCost & { salt: Uint8Array; key: Uint8Array } {
  const [, N, r, p, salt = "", key = ""] = hash.split("$");
  const bytesOf = (text: string) => present(fromBase64(text), "A password's hash is ours");
  return { N: Number(N), r: Number(r), p: Number(p), salt: bytesOf(salt), key: bytesOf(key) };
}

/** Runs on a thread of its own, beside the event loop. */
function derive(
  password: string,
  { salt, N, r, p }: PasswordCost & { salt: Uint8Array },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const options = { N, r, p, maxmem: MEMORY_MAX_BYTES };
    scrypt(utf8(password.normalize("NFKC")), salt, KEY_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
