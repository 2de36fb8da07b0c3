/** Passkeys belong to a domain, and work only on its own pages. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const IP = /^\[|^\d+\.\d+\.\d+\.\d+$/;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Undefined where browsers offer none: without a domain name, or without TLS. On one's own machine
 * the page's port counts, since a tunnel may end at any.
 */
export function relyingPartyOf(publicUrl: string, page: URL): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(publicUrl);
  if (LOOPBACK.test(hostname)) {
    const port = LOOPBACK.test(page.hostname) ? page.port : new URL(publicUrl).port;
    return { id: "localhost", origin: `${protocol}//localhost${port && `:${port}`}` };
  }
  return IP.test(hostname) || protocol !== "https:" ? undefined : { id: hostname, origin };
}
