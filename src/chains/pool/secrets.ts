const SECRET_CHARS_MIN = 8;
const TEXT_CHARS_MAX = 300;

/** A node may repeat the key in its URL, and people see its texts. */
export function withoutSecrets(text: string, url: string): string {
  const { username, password, pathname, search, searchParams } = new URL(url);
  const written = [username, password, ...pathname.split("/"), ...search.slice(1).split(/[&=]/)];
  const parts = [...written, ...searchParams.values()];
  return [...parts, ...parts.map(decoded)].filter((part) => part.length >= SECRET_CHARS_MIN)
    .reduce((left, part) => left.replaceAll(part, "***"), text)
    .slice(0, TEXT_CHARS_MAX);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
