/**
 * Removes a URL's user name and password, also from malformed URLs: everything from the slashes to
 * the last "@".
 */
export function withoutLogin(text: string): string {
  const start = text.indexOf("//");
  const end = text.lastIndexOf("@");
  return start >= 0 && end > start ? `${text.slice(0, start)}//…${text.slice(end)}` : text;
}
