/** Nothing from elsewhere, nothing inline, in nobody's frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

export const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ["content-security-policy", POLICY],
  ["x-frame-options", "DENY"],
  ["x-content-type-options", "nosniff"],
  // To our own pages only: a browser that sent none would not name the origin of a form either.
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
];

/** Browsers tell where a form was sent from: both headers must say here, where they are there. */
export function isFromOwnPage(request: Request, publicUrl: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  const origin = request.headers.get("origin");
  if (origin === null) return site !== null;
  return origin === new URL(publicUrl).origin ||
    URL.canParse(origin) && new URL(origin).host === request.headers.get("host");
}

/** A path of ours to go on to, from a query: never another site's. */
export function safeNext(text: string | null): string {
  return text !== null && /^\/(?![/\\])[\w\-./?=&%~+:,]*$/.test(text) ? text : "/";
}
