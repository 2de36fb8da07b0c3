import type { Page } from "playwright-core";

const OPTIONS = {
  protocol: "ctap2",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

/** The browser's own, for this page: it answers as a phone does after a fingerprint. */
export async function addAuthenticator(page: Page): Promise<AsyncDisposable> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  await session.send("WebAuthn.addVirtualAuthenticator", { options: OPTIONS });
  return {
    [Symbol.asyncDispose]: async () => {
      await session.send("WebAuthn.disable");
      await session.detach();
    },
  };
}
