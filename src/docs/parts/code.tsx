import type { Child, Component } from "../../base/html.ts";

interface CodeProps {
  readonly text: string;
  /** What it is, above it. */
  readonly title?: string | undefined;
  readonly isJson?: boolean;
  /** For a script that fills it. */
  readonly id?: string;
}

export const Code: Component<CodeProps> = ({ text, title, isJson, id }) => (
  <div class={title ? "code" : "code bare"}>
    <div class="code-head">
      {title && <span>{title}</span>}
      <button type="button" class="copy-code" hidden>Copy</button>
    </div>
    <pre tabindex="0"><code id={id}>{isJson ? highlighted(text) : text}</code></pre>
  </div>
);

export const Json: Component<{ value: unknown; title?: string }> = ({ value, title }) => (
  <Code text={JSON.stringify(value, null, 2)} title={title} isJson />
);

/** A name, a text, or a number and the like. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.]*/g;

function highlighted(json: string): Child[] {
  const parts: Child[] = [];
  let end = 0;
  for (const found of json.matchAll(TOKEN)) {
    const [all, text, colon] = found;
    parts.push(json.slice(end, found.index));
    end = found.index + all.length;
    if (text === undefined) parts.push(<span class="j-value">{all}</span>);
    else if (colon === undefined) parts.push(<span class="j-text">{all}</span>);
    else parts.push(<span class="j-name">{text}</span>, colon);
  }
  return [...parts, json.slice(end)];
}

interface Tab {
  readonly label: string;
  readonly content: Child;
}

/** Works without a script: radio buttons choose what is shown. */
export const Tabs: Component<{ id: string; legend: string; tabs: readonly Tab[] }> = (
  { id, legend, tabs },
) => (
  <fieldset class="tabs">
    <legend class="hidden">{legend}</legend>
    {tabs.map(({ label, content }, i) => (
      <>
        <input
          type="radio"
          class="hidden"
          name={id}
          id={`${id}-${i}`}
          value={label}
          checked={i === 0}
        />
        <label for={`${id}-${i}`}>{label}</label>
        <div class="tab">{content}</div>
      </>
    ))}
  </fieldset>
);
