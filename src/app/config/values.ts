import { parseIp } from "../../base/net/cidr.ts";
import { withoutLogin } from "../../base/net/without_login.ts";

const SHOWN_MAX = 80;
const HOST_MAX = 253;
const FILE = "file:";
const SERVER = /^(libsql|https?|wss?):\/\//;
// deno-lint-ignore no-control-regex -- these belong in no address
const SPACE_OR_CONTROL = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029]/;
// deno-lint-ignore no-control-regex -- nor in a path
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Short, on one line, and without the password that an address may contain. */
export function shown(text: string): string {
  const safe = withoutLogin(text).replace(/[\p{C}\u2028\u2029]/gu, " ");
  return JSON.stringify(safe.length > SHOWN_MAX ? `${safe.slice(0, SHOWN_MAX)}…` : safe);
}

/** An IP address, or a name that could be this machine's. Removes brackets around IPv6. */
export function readHost(text: string): string | undefined {
  const host = text.replace(/^\[(.*:.*)\]$/, "$1");
  if (host.includes(":")) return parseIp(host) && !SPACE_OR_CONTROL.test(host) ? host : undefined;
  const isName = host.length <= HOST_MAX &&
    host.split(".").every((part) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(part));
  return isName ? host : undefined;
}

/** What is wrong with a database's address; undefined if nothing is. */
export function databaseFaultOf(url: string): string | undefined {
  if (!url.startsWith(FILE)) {
    if (!SERVER.test(url)) return SCHEMES;
    return SPACE_OR_CONTROL.test(url) ? "has a space or a control character" : undefined;
  }
  const path = url.slice(FILE.length);
  if (path.trim() === "") return "has no file name";
  if (path.includes("?")) return 'has a "?": a file takes no parameters';
  return CONTROL.test(path) ? "has a line break or another control character" : undefined;
}

const SCHEMES = "does not begin with file:, libsql://, https://, http://, wss:// or ws://";

/** Fits into an HTTP header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** Only scheme, host and path, because pages and links append to it. */
export function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || SPACE_OR_CONTROL.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { username, password, search, hash } = new URL(text);
  return username === "" && password === "" && search === "" && hash === "";
}
