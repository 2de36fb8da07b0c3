import { OperatorError } from "../../domain/refusal.ts";

const ELEMENTS_MAX = 2_000;
const DEPTH_MAX = 32;
const CUTS_MAX = 20;
const NAMESPACE = "http://www.w3.org/2000/svg";

const ELEMENTS: readonly string[] = [
  ...["svg", "g", "defs", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon"],
  ...["linearGradient", "radialGradient", "stop", "clipPath"],
];

/** What editors leave behind and nobody sees. */
const IGNORED: readonly string[] = ["title", "desc", "metadata"];

const ATTRIBUTES: readonly string[] = [
  ...["id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "fx", "fy"],
  ...["width", "height", "points", "viewBox", "preserveAspectRatio", "transform", "offset"],
  ...["gradientUnits", "gradientTransform", "spreadMethod", "clipPathUnits", "clip-path"],
  ...["fill", "fill-opacity", "fill-rule", "clip-rule", "stroke", "stroke-width", "opacity"],
  ...["stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-opacity"],
  ...["stroke-dasharray", "stroke-dashoffset", "stop-color", "stop-opacity", "color", "display"],
];

/** Neither a colon nor a slash nor a quote, so that nothing outside of the file can be named. */
const VALUE = /^[\w\s#%.,()+-]*$/;
const LOCAL = /^url\(#[\w-]+\)$/;

const TOKEN =
  /<!--[^]*?-->|<\?xml\s[^>]*\?>|<\/([A-Za-z][\w:.-]*)\s*>|<([A-Za-z][\w:.-]*)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y;
const ATTRIBUTE = /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * The same drawing, written anew from what is known to be harmless. What could run, load or hide
 * something is refused by its name.
 */
export function cleanSvg(text: string): string {
  mustCutLittle(text);
  const out: string[] = [];
  const open: { name: string; isIgnored: boolean }[] = [];
  let elements = 0;
  for (const { close, start, attributes, isEmpty } of tokensOf(text)) {
    if (close !== undefined) {
      const last = open.pop();
      if (last?.name !== close) throw refused(`</${close}> closes nothing`);
      if (!last.isIgnored) out.push(`</${close}>`);
      continue;
    }
    if (open.length === 0 && (elements > 0 || start !== "svg")) {
      throw refused("it must be one <svg> element");
    }
    if (++elements > ELEMENTS_MAX) throw refused(`it has more than ${ELEMENTS_MAX} elements`);
    if (open.length >= DEPTH_MAX) {
      throw refused(`its elements are nested more than ${DEPTH_MAX} deep`);
    }
    const isIgnored = open.at(-1)?.isIgnored === true || isLeftOut(start);
    mustNotCutCuts([...open.map(({ name }) => name), start], attributes);
    if (!isIgnored) out.push(written(start, { attributes, isEmpty, isRoot: open.length === 0 }));
    if (!isEmpty) open.push({ name: start, isIgnored });
  }
  if (elements === 0 || open.length > 0) throw refused("it ends too early");
  return out.join("");
}

function mustCutLittle(text: string): void {
  if ([...text.matchAll(/clip-path/g)].length > CUTS_MAX) throw refused("it cuts out too much");
}

/** A few bytes of cuts within cuts would keep a browser busy for minutes. */
function mustNotCutCuts(path: readonly string[], attributes: string): void {
  if (path.includes("clipPath") && attributes.includes("clip-path")) {
    throw refused("it cuts out too much");
  }
}

type Token =
  | { readonly close: string; readonly start?: never; attributes?: never; isEmpty?: never }
  | {
    readonly close?: never;
    readonly start: string;
    readonly attributes: string;
    readonly isEmpty: boolean;
  };

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const source = text.replace(/^\uFEFF/, "");
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    if (!found) throw refused(`it can't be read from "${source.slice(at, at + 20)}" on`);
    const [, close, start, attributes = "", slash = ""] = found;
    if (close !== undefined) tokens.push({ close });
    if (start !== undefined) tokens.push({ start, attributes, isEmpty: slash !== "" });
  }
  return tokens;
}

/** Elements of other namespaces are an editor's notes. */
function isLeftOut(name: string): boolean {
  if (ELEMENTS.includes(name)) return false;
  if (IGNORED.includes(name) || /^(sodipodi|inkscape|rdf|cc|dc):/.test(name)) return true;
  throw refused(`<${name}> is not allowed`);
}

function written(
  name: string,
  { attributes, isEmpty, isRoot }: { attributes: string; isEmpty: boolean; isRoot: boolean },
): string {
  const kept = new Map<string, string>();
  for (const [, given = "", double, single] of attributes.matchAll(ATTRIBUTE)) {
    const value = (double ?? single ?? "").trim();
    if (/^on/i.test(given)) throw refused(`${given} is not allowed`);
    if (/(^|:)href$/i.test(given)) throw refused("it refers to something else");
    if (given === "style") { for (const [key, of] of declarations(value)) keep(kept, key, of); }
    else keep(kept, given, value);
  }
  if (isRoot && !kept.has("viewBox") && !(kept.has("width") && kept.has("height"))) {
    throw refused("its size is missing: it needs a viewBox");
  }
  const written = [...kept].map(([key, value]) => ` ${key}="${value}"`).join("");
  const space = isRoot ? ` xmlns="${NAMESPACE}"` : "";
  return `<${name}${space}${written}${isEmpty ? "/" : ""}>`;
}

/** Attributes that nobody sees are left out. */
function keep(kept: Map<string, string>, name: string, value: string): void {
  if (!ATTRIBUTES.includes(name)) return;
  if (!VALUE.test(value)) throw refused(`${name} has a value that is not allowed`);
  if (/url/i.test(value) && !LOCAL.test(value)) throw refused(`${name} refers to something else`);
  kept.set(name, value);
}

function declarations(style: string): (readonly [name: string, value: string])[] {
  return style.split(";").filter((part) => part.trim() !== "").map((part) => {
    const [name = "", ...rest] = part.split(":");
    if (/url|expression|import|[\\@]/i.test(part) && !LOCAL.test(rest.join(":").trim())) {
      throw refused("its style refers to something else");
    }
    return [name.trim(), rest.join(":").trim()] as const;
  });
}

function refused(why: string): OperatorError {
  return new OperatorError(`This SVG can't be used: ${why}`);
}
