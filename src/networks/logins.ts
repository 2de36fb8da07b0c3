import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "./table.ts";

const HIDDEN = "***";

/** Without the name and password of a node, which nobody needs to read again. */
export function shownUrl(text: string): string {
  if (text === "") return text;
  const url = new URL(text);
  if (url.username === "" && url.password === "") return text;
  const login = /^([a-z]+:\/\/)[^/?#]*@/i;
  return text.replace(login, `$1${HIDDEN}@`);
}

type Urls = Pick<NetworkRow, "rpcUrls" | "wsUrls">;
type Sealed = Pick<NetworkRow, "rpcUrlsSealed" | "wsUrlsSealed">;

export function hasLogins({ rpcUrls, wsUrls }: Urls): boolean {
  return [...rpcUrls, ...wsUrls ?? []].some((url) => shownUrl(url) !== url);
}

/** A network as people and the audit log see it. */
export function shownUrls<T extends Partial<Urls>>(
  { rpcUrlsSealed: _, wsUrlsSealed: _w, ...network }: T & Partial<Sealed>,
) {
  const { rpcUrls, wsUrls } = network;
  return {
    ...network,
    ...rpcUrls ? { rpcUrls: rpcUrls.map(shownUrl) } : {},
    ...wsUrls ? { wsUrls: wsUrls.map(shownUrl) } : {},
  };
}

export function hidesLogin(url: string): boolean {
  return /^[a-z]+:\/\/\*\*\*@/i.test(url);
}

/** What was shown stands for what it was. */
export function withLogins(urls: readonly string[], before: readonly string[]): string[] {
  const known = new Map(before.map((url) => [shownUrl(url), url]));
  return urls.map((url) => {
    if (!hidesLogin(url)) return url;
    const same = known.get(url);
    if (same === undefined) throw refuse("login_hidden", { url });
    return same;
  });
}
