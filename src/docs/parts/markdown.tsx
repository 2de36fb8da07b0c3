import type { Token, Tokens } from "marked";
import type { Child, Component } from "../../base/html.ts";
import { GUIDES } from "../guides.ts";
import { BASE } from "../site.ts";
import { Code } from "./code.tsx";
import { codeOf } from "./prose.tsx";

/** What is served, by its name in docs/. */
const SERVED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(GUIDES.map(({ name }) => [`${name}.md`, `${BASE}/guides/${name}`])),
  "openapi.json": "/openapi.json",
  "examples/node/checkout.mjs": `${BASE}/examples#checkout`,
  "examples/node/shop.mjs": `${BASE}/examples#shop`,
  "examples/python/cpg.py": `${BASE}/examples`,
  "examples/python/shop.py": `${BASE}/examples#shop-python`,
  "examples/php/cpg.php": `${BASE}/examples`,
  "examples/php/shop.php": `${BASE}/examples#shop-php`,
  "examples/": `${BASE}/examples`,
  "examples/README.md": `${BASE}/examples`,
};

/** A document of docs/, without its title. */
export const Markdown: Component<{ tokens: readonly Token[] }> = ({ tokens }) => (
  <>{tokens.map(block)}</>
);

function block(token: Token): Child {
  const { type } = token;
  if (type === "heading") return heading(token as Tokens.Heading);
  if (type === "paragraph") return <p>{inlines(token)}</p>;
  if (type === "text") return inlines(token);
  if (type === "list") return list(token as Tokens.List);
  if (type === "code") return <Code text={(token as Tokens.Code).text} />;
  if (type === "table") return table(token as Tokens.Table);
  if (type === "blockquote") return <blockquote>{childrenOf(token).map(block)}</blockquote>;
  if (type === "space" || type === "html") return "";
  throw new TypeError(`No page shows markdown like this: ${token.raw}`);
}

function heading({ depth, text, ...token }: Tokens.Heading): Child {
  const id = slugOf(text);
  if (depth === 1) return "";
  if (depth === 2) return <h2 id={id}>{inlines(token)}</h2>;
  return <h3 id={id}>{inlines(token)}</h3>;
}

function list({ ordered, items }: Tokens.List): Child {
  const rows = items.map((item) => <li>{item.tokens.map(block)}</li>);
  return ordered ? <ol>{rows}</ol> : <ul>{rows}</ul>;
}

function table({ header, rows }: Tokens.Table): Child {
  return (
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>{header.map(({ tokens }) => <th>{tokens.map(inline)}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => <tr>{row.map(({ tokens }) => <td>{tokens.map(inline)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

function inlines(token: object): Child[] {
  return childrenOf(token).map(inline);
}

function inline(token: Token): Child {
  const { type } = token;
  if (type === "codespan") return codeOf((token as Tokens.Codespan).text);
  if (type === "strong") return <strong>{inlines(token)}</strong>;
  if (type === "em") return <em>{inlines(token)}</em>;
  if (type === "link") return link(token as Tokens.Link);
  if (type === "html") return "";
  if (type === "escape" || type === "text") {
    return "tokens" in token && token.tokens ? inlines(token) : (token as Tokens.Text).text;
  }
  throw new TypeError(`No page shows markdown like this: ${token.raw}`);
}

function link(token: Tokens.Link): Child {
  const [file = "", anchor] = token.href.split("#");
  const isElsewhere = /^https?:/.test(token.href);
  const target = isElsewhere || file === "" ? token.href : SERVED[file] && SERVED[file] +
      (anchor === undefined ? "" : `#${anchor}`);
  if (target === undefined) {
    throw new TypeError(`A guide links to what isn't served: ${token.href}`);
  }
  return <a href={target} rel={isElsewhere ? "noreferrer" : undefined}>{inlines(token)}</a>;
}

function childrenOf(token: object): Token[] {
  return (token as { tokens?: Token[] }).tokens ?? [];
}

/** As GitHub names the anchors of headings. */
export function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
}
