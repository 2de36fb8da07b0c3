import { sha256Hex } from "../../base/secrets/crypto.ts";

/** How browsers reach an authenticator. */
export const TRANSPORTS = ["ble", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
type Transport = typeof TRANSPORTS[number];

export interface Passkey {
  /** The credential's id, in base64url. */
  readonly id: string;
  /** In COSE's form, in base64url. */
  readonly publicKey: string;
  /** How often it was used, if the authenticator counts. */
  readonly counter: number;
  readonly transports: readonly Transport[];
  readonly name: string;
  /** The domain that it was made for. */
  readonly rpId: string;
  readonly createdAtMs: number;
  readonly usedAtMs: number | null;
}

interface SecondFactors {
  readonly totpSealed: string | null;
  readonly passkeys: readonly Passkey[] | null;
}

export const PASSKEYS_MAX = 10;
export const PASSKEY_NAME_MAX = 60;

export function passkeysOf({ passkeys }: Pick<SecondFactors, "passkeys">): readonly Passkey[] {
  return passkeys ?? [];
}

export function hasSecondFactor({ totpSealed, passkeys }: SecondFactors): boolean {
  return totpSealed !== null || passkeysOf({ passkeys }).length > 0;
}

/** For the audit log, which has the last word on what a user has. */
export function factorsSaid({ totpSealed, passkeys }: SecondFactors) {
  return { app: totpSealed !== null, passkeys: passkeysOf({ passkeys }).map(passkeySaid) };
}

/** Two passkeys of the same name differ. */
function passkeySaid({ name, id }: Passkey): string {
  return `${name} #${sha256Hex(id).slice(0, 12)}`;
}
