/** How a language writes maps and lists. */
interface Style {
  readonly map: readonly [open: string, close: string];
  readonly list: readonly [open: string, close: string];
  readonly key: (name: string) => string;
  readonly words?: Readonly<Record<string, string>>;
  /** After the last element too, where the closing bracket has a line of its own. */
  readonly hasLastComma?: boolean;
  readonly indent: string;
}

const quoted = (name: string) => JSON.stringify(name);

export const STYLES = {
  js: { map: ["{", "}"], list: ["[", "]"], key: (name) => `${name}: `, indent: "  " },
  python: {
    ...{ map: ["{", "}"], list: ["[", "]"], key: (name) => `${quoted(name)}: ` },
    ...{ words: { true: "True", false: "False", null: "None" }, indent: "    " },
  },
  php: {
    ...{ map: ["[", "]"], list: ["[", "]"], key: (name) => `${quoted(name)} => ` },
    indent: "    ",
  },
  ruby: {
    ...{ map: ["{", "}"], list: ["[", "]"], key: (name) => `${name}: ` },
    ...{ words: { null: "nil" }, indent: "  " },
  },
  go: {
    ...{ map: ["map[string]any{", "}"], list: ["[]any{", "}"], key: (name) => `${quoted(name)}: ` },
    ...{ words: { null: "nil" }, hasLastComma: true, indent: "\t" },
  },
} satisfies Readonly<Record<string, Style>>;

/** A JSON value as a language writes it; maps have a line for each element. */
export function literal(value: unknown, style: Style, depth = 0): string {
  if (Array.isArray(value)) {
    const [open, close] = style.list;
    return open + value.map((one) => literal(one, style, depth)).join(", ") + close;
  }
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value);
    return style.words?.[text] ?? text;
  }
  const rows = Object.entries(value).map(([name, one]) =>
    style.indent.repeat(depth + 1) + style.key(name) + literal(one, style, depth + 1)
  );
  const [open, close] = style.map;
  const end = style.hasLastComma ? ",\n" : "\n";
  return `${open}\n${rows.join(",\n")}${end}${style.indent.repeat(depth)}${close}`;
}
