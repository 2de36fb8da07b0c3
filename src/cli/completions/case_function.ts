/** A function of a POSIX shell that prints what belongs to its argument, and fails without that. */
export function caseFunction(
  name: string,
  entries: ReadonlyMap<string, readonly string[]>,
): string {
  const cases = [...entries].map(([key, texts]) => `    '${key}') echo '${texts.join(" ")}' ;;\n`);
  return `${name}() {\n  case $1 in\n${cases.join("")}    *) return 1 ;;\n  esac\n}`;
}
