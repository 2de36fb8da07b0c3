import type { Child, Component } from "../../base/html.ts";
import { ENDPOINTS } from "../../http/endpoints.ts";
import { BASE, operationPath } from "../site.ts";

/** A text of the table, where backquotes mark code. Pages and operations become links. */
export const Words: Component<{ text: string }> = ({ text }) => (
  <>{text.split("`").map((part, i) => i % 2 === 0 ? part : codeOf(part))}</>
);

/** Code that is a page's path or an operation links to it. */
export function codeOf(text: string): Child {
  const endpoint = ENDPOINTS.find(({ method, path }) => text === `${method} ${path}`);
  const target = endpoint ? operationPath(endpoint) : text.startsWith(`${BASE}/`) && text;
  const code = <code>{text}</code>;
  return target ? <a href={target}>{code}</a> : code;
}

export const Prose: Component<{ text: string }> = ({ text }) => (
  <>
    {text.split("\n\n").map((paragraph) => (
      <p>
        <Words text={paragraph} />
      </p>
    ))}
  </>
);
