const HOST = /^[\w.\-:[\]]*$/;

/**
 * Anything else would end up in the path, because a server builds its URL from this header. A URL
 * with 1.2.3.4.5 or port 99999 can't be read.
 */
export function hasPlainHost({ headers, url }: Request): boolean {
  return HOST.test(headers.get("host") ?? "") && URL.canParse(url);
}

/** The request target byte for byte; `URL` would normalise what was signed. */
export function rawTarget(url: string): string {
  const path = url.indexOf("/", url.indexOf("://") + 3);
  return path < 0 ? "/" : url.slice(path);
}

/** Without the query, not decoded. */
export function rawPath(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

/** Several times as long as any of ours. */
const PATH_CHARS_MAX = 1_024;

/** Each path has one spelling: only characters that need encoding are encoded, in capitals. */
export function isCanonicalPath(path: string): boolean {
  return path.length <= PATH_CHARS_MAX && path.split("/").every((segment) => {
    try {
      return encodeURIComponent(decodeURIComponent(segment)) === segment;
    } catch (error) {
      if (error instanceof URIError) return false;
      throw error;
    }
  });
}
