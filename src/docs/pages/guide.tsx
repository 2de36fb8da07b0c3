import type { Child } from "../../base/html.ts";
import type { Guide } from "../guides.ts";
import { Markdown, slugOf } from "../parts/markdown.tsx";
import { BASE, type DocPage } from "../site.ts";

export function guidePage({ name, text }: Guide): DocPage {
  return {
    path: `${BASE}/guides/${name}`,
    title: /^# (.*)$/m.exec(text)![1]!,
    group: "Guides",
    show: () => show(text),
  };
}

/** The parser is loaded by whoever reads a guide. */
async function show(text: string): Promise<Child> {
  const { lexer } = await import("marked");
  const tokens = lexer(text);
  const [title] = tokens.flatMap((token) => token.type === "heading" ? [token.text as string] : []);
  return (
    <article class="prose">
      <h1 id={slugOf(title!)}>{title}</h1>
      <Markdown tokens={tokens} />
    </article>
  );
}
