/**
 * JSX compiles to this (`jsx` and `jsxImportSource` in deno.json): constant parts become texts at
 * compile time, and the rest is joined here in one pass. Building no tree of nodes saves two thirds
 * of a page's time.
 */

/** Trusted markup, created only here: every other text is escaped. */
class Markup {
  constructor(readonly text: string) {}
}

export type { Markup };

type Known = Markup | string | number | boolean | null | undefined | readonly Child[];

export type Child = Known | Promise<Known>;

export type Component<Props> = (props: Props) => Child;

/** The text, as soon as everything in it is there. */
export function htmlOf(child: Child): string | Promise<string> {
  if (typeof child === "string") return escaped(child);
  if (child instanceof Markup) return child.text;
  if (typeof child === "number") return String(child);
  if (child === null || child === undefined || typeof child === "boolean") return "";
  if (child instanceof Promise) return markHandled(child.then(htmlOf));
  let text = "";
  for (const one of child) {
    const part = htmlOf(one);
    if (typeof part !== "string") return markHandled(allOf(child));
    text += part;
  }
  return text;
}

async function allOf(children: readonly Child[]): Promise<string> {
  return (await Promise.all(children.map(htmlOf))).join("");
}

export function jsxTemplate(
  constants: readonly string[],
  ...children: readonly Child[]
): Markup | Promise<Markup> {
  let text = "";
  for (let i = 0; i < children.length; i++) {
    const part = htmlOf(children[i]);
    if (typeof part !== "string") return markHandled(whenThere(constants, children));
    text += before(constants[i]!, children[i]) + part;
  }
  return new Markup(text + constants.at(-1));
}

/** No space for an attribute that isn't there. */
function before(constant: string, child: Child): string {
  return child === NOTHING ? constant.slice(0, -1) : constant;
}

async function whenThere(
  constants: readonly string[],
  children: readonly Child[],
): Promise<Markup> {
  const parts = await Promise.all(children.map(htmlOf));
  const raw = constants.map((constant, i) => before(constant, children[i]));
  return new Markup(String.raw({ raw }, ...parts));
}

const NOTHING = new Markup("");

export function jsxAttr(name: string, value: Child): Markup {
  if (value === null || value === undefined || value === false) return NOTHING;
  if (value === true) return new Markup(name);
  if (typeof value === "object") throw new TypeError(`${name} is a text, not an element`);
  return new Markup(`${name}="${typeof value === "number" ? value : escaped(value)}"`);
}

/** The template handles each child itself. */
export function jsxEscape(child: Child): Child {
  return child;
}

export function jsx<Props extends object>(component: Component<Props>, props: Props | null): Child {
  if (typeof component !== "function") throw new TypeError("Elements take no spread attributes");
  const made = component(props ?? {} as Props);
  return made instanceof Promise ? markHandled(made) : made;
}

/** If another child fails first, nobody awaits this one, and its rejection must not end the program. */
function markHandled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export { jsx as jsxs };

export function Fragment({ children }: { children?: Child }): Child {
  return children;
}

const SPECIAL = /[&<>"']/;
const SPECIALS = /[&<>"']/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (one) => ENTITIES[one]!) : text;
}

export declare namespace JSX {
  type Element = Child;
  interface ElementChildrenAttribute {
    children: unknown;
  }
  interface IntrinsicElements {
    [tag: string]: { readonly [attribute: string]: Child };
  }
}
