/** Nothing from other sites, nothing inline, in no frames. */
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
  // Only to our own pages: with no referrer at all, a browser wouldn't send a form's origin either.
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
  ["permissions-policy", "camera=(), microphone=(), geolocation=(), payment=()"],
];

/** Browsers say where a form was sent from. Whichever header is present must name this site. */
export function isFromOwnPage(request: Request, publicUrl: string): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return false;
  const origin = request.headers.get("origin");
  if (origin === null) return site !== null;
  return origin === new URL(publicUrl).origin ||
    URL.canParse(origin) && new URL(origin).host === request.headers.get("host");
}

/** A path of ours from a query, never another site's. */
export function safeNext(text: string | null): string {
  return text !== null && /^\/(?![/\\])[\w\-./?=&%~+:,]*$/.test(text) ? text : "/";
}
