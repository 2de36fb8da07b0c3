/** A style sheet without comments and the spaces that only help its writers. */
export function squeezedStyle(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, "")
    .replace(/\s+/g, " ")
    .replace(/ ?([{};,>]) ?/g, "$1")
    .replace(/: /g, ":")
    .replaceAll(";}", "}")
    .trim();
}

/** A script without indentation and lines of comment. It has no text of several lines. */
export function squeezedScript(script: string): string {
  return script.replace(/^\s+/gm, "").replace(/^\/\/.*\n/gm, "");
}
