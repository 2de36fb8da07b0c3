import type { Component } from "./html.ts";

const GROUP = 4;
/** Of each end: what people compare. */
const STRONG = 6;

/**
 * An address, in groups that are easier to compare. The gaps are a style sheet's, so it stays one
 * text: however somebody selects it, all of it is copied, and nothing else.
 */
export const Grouped: Component<{ text: string }> = ({ text }) => {
  const groups = text.match(new RegExp(`.{1,${GROUP}}`, "g")) ?? [];
  return (
    <code class="grouped" dir="ltr">
      {groups.map((group, i) => {
        const from = i * GROUP;
        const head = group.slice(0, Math.max(0, STRONG - from));
        const rest = group.slice(head.length);
        const middle = rest.slice(0, Math.max(0, text.length - STRONG - from - head.length));
        const tail = rest.slice(middle.length);
        return <span>{head && <b>{head}</b>}{middle}{tail && <b>{tail}</b>}</span>;
      })}
    </code>
  );
};

/** For style sheets, which also let a click select all of it. A line may end between two groups. */
export const GROUPED_STYLE = `
.grouped{line-break:anywhere}
.grouped span{white-space:nowrap;margin-inline-end:.4em}
`;
