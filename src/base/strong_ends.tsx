import type { Component } from "./html.ts";

/** Of each end: what people compare. */
const STRONG = 6;

/**
 * An address. It is one text, and only a style sheet breaks its lines: however somebody selects it,
 * all of it is copied, and nothing else.
 */
export const StrongEnds: Component<{ text: string }> = ({ text }) => {
  const tail = Math.max(STRONG, text.length - STRONG);
  const [start, middle, end] = [text.slice(0, STRONG), text.slice(STRONG, tail), text.slice(tail)];
  return (
    <code class="ends" dir="ltr">
      <b>{start}</b>
      {middle}
      <b>{end}</b>
    </code>
  );
};

/** For style sheets. */
export const ENDS_STYLE =
  ".ends{user-select:all;-webkit-user-select:all;line-break:anywhere;overflow-wrap:anywhere}";
