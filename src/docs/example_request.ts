import type { Endpoint } from "../http/endpoint.ts";

/** Path and query of an endpoint's example. */
export function exampleTarget({ path, example }: Pick<Endpoint, "path" | "example">): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => String(example.path?.[name]));
  const query = new URLSearchParams(
    Object.entries(example.query ?? {}).map(([name, value]) => [name, String(value)]),
  ).toString();
  return query === "" ? filled : `${filled}?${query}`;
}
