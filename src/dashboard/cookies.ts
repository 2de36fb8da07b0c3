import { sha256 } from "@noble/hashes/sha2.js";
import { randomToken, toBase64Url, utf8 } from "../base/bytes.ts";
import { getCookie } from "hono/cookie";
import type { Context } from "hono";

export interface Flash {
  readonly kind: "done" | "fault";
  readonly text: string;
}

const TOKEN = /^[\w-]{43}$/;
const FLASH_SECONDS = 60;

/** One cookie holds the session's token, or a visitor's before the sign-in. */
export function createCookies({ isSecure }: { isSecure: boolean }) {
  const name = isSecure ? "__Host-cpg" : "cpg";
  const flashName = isSecure ? "__Host-cpg-flash" : "cpg-flash";
  const rest = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const set = (c: Context, cookie: string) => c.header("set-cookie", cookie, { append: true });
  return {
    token: (c: Context): string | undefined => {
      const token = getCookie(c, name);
      return token !== undefined && TOKEN.test(token) ? token : undefined;
    },
    setToken: (c: Context, token: string): void => set(c, `${name}=${token}; ${rest}`),
    dropToken: (c: Context): void => set(c, `${name}=; Max-Age=0; ${rest}`),
    setFlash: (c: Context, flash: Flash): void => {
      const text = toBase64Url(utf8(JSON.stringify(flash)));
      set(c, `${flashName}=${text}; Max-Age=${FLASH_SECONDS}; ${rest}`);
    },
    takeFlash: (c: Context): Flash | undefined => {
      const text = getCookie(c, flashName);
      if (text === undefined) return undefined;
      set(c, `${flashName}=; Max-Age=0; ${rest}`);
      return parseFlash(text);
    },
  };
}

export type Cookies = ReturnType<typeof createCookies>;

export function newVisitorToken(): string {
  return randomToken(32);
}

/** Bound to the cookie: another site can make a browser send the cookie, but doesn't know this. */
export function csrfOf(token: string): string {
  return toBase64Url(sha256(utf8(`cpg csrf ${token}`)));
}

function parseFlash(text: string): Flash | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const { kind, text: message } = JSON.parse(new TextDecoder().decode(bytes));
    return { kind: kind === "fault" ? "fault" : "done", text: String(message) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
