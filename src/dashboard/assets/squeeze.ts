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

const TEXT_OR_SIGN = /("[^"\n]*"|`[^`]*`)| ?(=>|===|!==|&&|\|\||[=,:{}?]) ?/g;

/**
 * A script without indentation, lines of comment and spaces around signs. It has no text of several
 * lines, no text in single quotes, and no quotation mark in a pattern or in other quotes.
 */
export function squeezedScript(script: string): string {
  return script
    .replace(/^\s+/gm, "")
    .replace(/^\/\/.*\n/gm, "")
    .replace(TEXT_OR_SIGN, (_, text, sign) => text ?? sign);
}
