import { present } from "../assert.ts";
import { scrypt, timingSafeEqual } from "node:crypto";
import { fromBase64, randomBytes, toBase64, utf8 } from "../bytes.ts";
import { type Asker, Turns } from "../waiting/turns.ts";

/** 128 MB and about half a second per guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Each needs its memory, so the others wait and too many are turned away. */
const LIMITS = { atOnce: 2, strangersAtOnce: 1, waitingMax: 40, waitMs: 5_000 };
export const KNOWN: Asker = { isKnown: true };

const turns = new Turns(LIMITS, () => performance.now());

/** `scrypt$131072$8$1$salt$key`: each hash carries its own parameters. */
export function hashPassword(password: string): Promise<string> {
  return turns.run(KNOWN, async () => {
    const salt = randomBytes(SALT_BYTES);
    return hashText(salt, await derive(password, { ...COST, salt }));
  });
}

/** The preparation is part of the turn: who gets no turn has not guessed. */
export function guessPassword<T>(
  asker: Asker,
  work: (isPassword: (password: string, hash: string) => Promise<boolean>) => Promise<T>,
): Promise<T> {
  return turns.run(asker, () => work(matches));
}

/** Matches no password, but takes as long to check as any. */
export function decoyHash(): string {
  return hashText(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));
}

function hashText(salt: Uint8Array, key: Uint8Array): string {
  return ["scrypt", COST.N, COST.r, COST.p, toBase64(salt), toBase64(key)].join("$");
}

async function matches(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = hash.split("$");
  const bytesOf = (text: string) => present(fromBase64(text), "A password's hash is ours");
  const params = { N: Number(N), r: Number(r), p: Number(p), salt: bytesOf(salt) };
  return timingSafeEqual(await derive(password, params), bytesOf(key));
}

/** Runs on a thread of its own, beside the event loop. */
function derive(
  password: string,
  { salt, ...cost }: typeof COST & { salt: Uint8Array },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const options = { ...cost, maxmem: MEMORY_MAX_BYTES };
    scrypt(utf8(password.normalize("NFKC")), salt, KEY_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}
