import type { Component } from "../../base/html.ts";

/** A text of the table, where backquotes mark code. */
export const Words: Component<{ text: string }> = ({ text }) => (
  <>{text.split("`").map((part, i) => i % 2 === 0 ? part : <code>{part}</code>)}</>
);

export const Prose: Component<{ text: string }> = ({ text }) => (
  <>
    {text.split("\n\n").map((paragraph) => (
      <p>
        <Words text={paragraph} />
      </p>
    ))}
  </>
);
