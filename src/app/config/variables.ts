import type { Bytes } from "../../base/bytes.ts";
import { LOG_LEVELS, type LogLevel } from "../../base/log.ts";
import { type Cidr, parseCidr, parseIp } from "../../base/net/cidr.ts";
import { withoutLogin } from "../../base/net/without_login.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { parseMasterKey } from "../../keys/vault.ts";
import { DEFAULT_DATABASE_URL } from "../../store/connection/database_folder.ts";

const SHOWN_MAX = 80;
const HOST_MAX = 253;
const FILE = "file:";
const SERVER = /^(libsql|https?|wss?):\/\//;
// deno-lint-ignore no-control-regex -- these belong in no address
const SPACE_OR_CONTROL = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/;
// deno-lint-ignore no-control-regex -- nor in a path
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

const SCHEMES = "does not begin with file:, libsql://, https://, http://, wss:// or ws://";

export type Env = Readonly<Record<string, string | undefined>>;

export const DEFAULT_HOST = "127.0.0.1";

export function wrong(
  name: string,
  { is, example }: { is: string; example: string },
): OperatorError {
  return new OperatorError(`${name} ${is}; for example: ${name}=${example}`);
}

export function databaseUrl(env: Env): string {
  const url = env.CPG_DATABASE_URL || DEFAULT_DATABASE_URL;
  const is = databaseFaultOf(url);
  if (is === undefined) return url;
  throw wrong("CPG_DATABASE_URL", { is, example: DEFAULT_DATABASE_URL });
}

export function databaseToken({ CPG_DATABASE_TOKEN: token }: Env): string | undefined {
  if (!token || isToken(token)) return token || undefined;
  throw wrong("CPG_DATABASE_TOKEN", {
    is: "has a space, a line break or another character that tokens never contain",
    example: "<as the database's host shows it>",
  });
}

export function hostOf(env: Env, name: "CPG_HOST" | "CPG_DASHBOARD_HOST"): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const host = readHost(text);
  if (host !== undefined) return host;
  throw wrong(name, {
    is: `${shown(text)} is neither an IP address nor a host name`,
    example: DEFAULT_HOST,
  });
}

export function metricsToken({ CPG_METRICS_TOKEN: token }: Env): string | undefined {
  if (!token || isToken(token) && /^.{16,512}$/.test(token)) return token || undefined;
  throw wrong("CPG_METRICS_TOKEN", {
    is: "is not 16 to 512 letters, digits or symbols without spaces " +
      "(make one with: openssl rand -base64 32)",
    example: "<44 base64 characters>",
  });
}

export function masterKey(env: Env): Bytes | undefined {
  if (!env.CPG_MASTER_KEY) return undefined;
  const key = parseMasterKey(env.CPG_MASTER_KEY);
  if (key) return key;
  throw wrong("CPG_MASTER_KEY", {
    is: "is not 32 bytes in base64 or hex (make one with: openssl rand -base64 32)",
    example: "<44 base64 characters>",
  });
}

export function webAddress(
  env: Env,
  name: "CPG_PUBLIC_URL" | "CPG_DASHBOARD_URL",
): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (isWebAddress(text)) return text.replace(/(?<!\/)\/+$/, "");
  throw wrong(name, {
    is: `${shown(text)} is not a web address`,
    example: "https://pay.example.com",
  });
}

export function trustedProxies(env: Env): Cidr[] {
  const parts = (env.CPG_TRUSTED_PROXIES ?? "").split(",").map((part) => part.trim()).filter(
    Boolean,
  );
  return parts.map((part) => {
    const cidr = parseCidr(part);
    if (cidr) return cidr;
    throw wrong("CPG_TRUSTED_PROXIES", {
      is: `has ${shown(part)}, which is not an IP address or CIDR range`,
      example: "10.0.0.0/8,::1",
    });
  });
}

export function timeoutMs(env: Env, name: string, fallback: number): number {
  return 1000 * integer(env, { name, fallback, min: 1, max: 3_600 });
}

export function integer(
  env: Env,
  { name, fallback, min, max }: { name: string; fallback: number; min: number; max: number },
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw wrong(name, {
    is: `${shown(text)} is not a whole number from ${min} to ${max}`,
    example: String(fallback),
  });
}

export function logLevel(env: Env): LogLevel {
  const text = env.CPG_LOG_LEVEL || "info";
  const level = LOG_LEVELS.find((candidate) => candidate === text);
  if (level) return level;
  throw wrong("CPG_LOG_LEVEL", {
    is: `${shown(text)} is not one of ${LOG_LEVELS.join(", ")}`,
    example: "info",
  });
}

export function boolean(env: Env, name: string, fallback: boolean): boolean {
  const text = env[name];
  if (!text) return fallback;
  if (text === "true" || text === "false") return text === "true";
  throw wrong(name, {
    is: `${shown(text)} is neither true nor false`,
    example: String(fallback),
  });
}

export function onOff(env: Env, name: string): boolean {
  const text = env[name] || "on";
  if (text === "on" || text === "off") return text === "on";
  throw wrong(name, { is: `${shown(text)} is neither on nor off`, example: "off" });
}

/** Short, on one line, and without the password that an address may contain. */
function shown(text: string): string {
  const safe = withoutLogin(text).replace(/[\p{C}\u2028\u2029]/gu, " ");
  return JSON.stringify(safe.length > SHOWN_MAX ? `${safe.slice(0, SHOWN_MAX)}…` : safe);
}

/** An IP address, or a name that could be this machine's. Removes brackets around IPv6. */
function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*:.*)\]$/, "$1");
  if (host.includes(":")) return parseIp(host) && !SPACE_OR_CONTROL.test(host) ? host : undefined;
  const isName = host.length <= HOST_MAX &&
    host.split(".").every((part) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(part));
  return isName ? host : undefined;
}

/** What is wrong with a database's address; undefined if nothing is. */
function databaseFaultOf(url: string): string | undefined {
  if (!url.startsWith(FILE)) {
    if (!SERVER.test(url)) return SCHEMES;
    return SPACE_OR_CONTROL.test(url) ? "has a space or a control character" : undefined;
  }
  const path = url.slice(FILE.length);
  if (path.trim() === "") return "has no file name";
  if (path.includes("?")) return 'has a "?": a file takes no parameters';
  return CONTROL.test(path) ? "has a line break or another control character" : undefined;
}

/** Fits into an HTTP header. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Only scheme, host and path, because pages and links append to it. */
function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || SPACE_OR_CONTROL.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { username, password, search, hash } = new URL(text);
  return username === "" && password === "" && search === "" && hash === "";
}
