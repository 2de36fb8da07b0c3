import { toBase64, utf8 } from "../../base/bytes.ts";

const SECRET_CHARS_MIN = 8;
const TEXT_CHARS_MAX = 300;

/** A node may repeat the key in its URL, or what it was sent of it, and people see its texts. */
export function withoutSecrets(text: string, url: string): string {
  const { username, password, pathname, search, searchParams } = new URL(url);
  const written = [username, password, ...pathname.split("/"), ...search.slice(1).split(/[&=]/)];
  const login = `${username}:${password}`;
  const parts = [login, ...written, ...searchParams.values()];
  const long = [...parts, ...parts.map(decoded), toBase64(utf8(decoded(login)))]
    .filter((part) => part.length >= SECRET_CHARS_MIN);
  // Short ones would be found in the middle of words.
  const short = [username, password].flatMap((part) => [part, decoded(part)])
    .filter((part) => part !== "").map(asWord);
  return [...long, ...short]
    .reduce<string>((left, part) => left.replaceAll(part, "***"), text)
    .slice(0, TEXT_CHARS_MAX);
}

function asWord(part: string): RegExp {
  return new RegExp(`(?<!\\w)${RegExp.escape(part)}(?!\\w)`, "g");
}

/** Of a URL; a sign of percent that begins nothing is itself. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
