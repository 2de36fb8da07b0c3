import { scrypt, timingSafeEqual } from "node:crypto";
import { fromBase64, randomBytes, toBase64, utf8 } from "./bytes.ts";

/** 128 MB and about half a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
const MEMORY_MAX_BYTES = 256 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** Each takes its memory: the others wait, and too many are turned away. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 40;

export class TooBusy extends Error {
  override name = "TooBusy";
}

/** `scrypt$131072$8$1$salt$key`: what it was made with stands beside it. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, { ...COST, salt });
  return ["scrypt", COST.N, COST.r, COST.p, toBase64(salt), toBase64(key)].join("$");
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = hash.split("$");
  const params = { N: Number(N), r: Number(r), p: Number(p), salt: fromBase64(salt)! };
  return timingSafeEqual(await derive(password, params), fromBase64(key)!);
}

let running = 0;
const waiting: (() => void)[] = [];

/** Beside the event loop, on a thread of its own. */
async function derive(
  password: string,
  { salt, ...cost }: typeof COST & { salt: Uint8Array },
): Promise<Uint8Array> {
  if (waiting.length >= WAITING_MAX) throw new TooBusy("Too many sign-ins at once");
  if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await new Promise((resolve, reject) => {
      const options = { ...cost, maxmem: MEMORY_MAX_BYTES };
      scrypt(utf8(password.normalize("NFKC")), salt, KEY_BYTES, options, (error, key) => {
        if (error) reject(error);
        else resolve(key);
      });
    });
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
