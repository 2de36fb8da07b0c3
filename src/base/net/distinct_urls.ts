/** Without those that only spell another one differently. */
export function distinctUrls(urls: readonly string[]): string[] {
  return [...new Map(urls.map((url) => [spellingOf(url), url])).values()];
}

/** How many nodes they can be: what differs only behind "?" may be two keys of one node. */
export function nodesAt(urls: readonly string[]): number {
  return new Set(urls.map((url) => placeOf(new URL(url)))).size;
}

function spellingOf(text: string): string {
  const url = new URL(text);
  // TRON's second port is written there.
  const port = url.hash.startsWith("#solidity=") ? url.hash : "";
  return `${url.username}:${url.password}@${placeOf(url)}${url.search}${port}`;
}

function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, "")}`;
}
