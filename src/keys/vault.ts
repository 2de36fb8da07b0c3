import { type Bytes, fromBase64, fromHex, utf8 } from "../base/bytes.ts";
import { deriveSealingKey, seal, unseal } from "../base/crypto.ts";
import { OperatorError } from "../domain/refusal.ts";

const MASTER_KEY_BYTES = 32;

/** Seals the installation's secrets under the master key. What it holds never leaves as text of a log. */
export interface Vault {
  /** `context` names the row and column: a secret copied elsewhere does not open. */
  seal(secret: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
}

export async function createVault(masterKey: Bytes): Promise<Vault> {
  const key = await deriveSealingKey(masterKey, "cpg/secrets/v1");
  return {
    seal: (secret, context) => seal(key, utf8(secret), context),
    open: async (sealed, context) => {
      const bytes = await unseal(key, sealed, context);
      if (!bytes) {
        throw new OperatorError(
          `Cannot open the secret "${context}": the master key is not the one it was sealed with`,
        );
      }
      return new TextDecoder().decode(bytes);
    },
  };
}

/** 32 bytes as base64 or hex. Undefined for anything else. */
export function parseMasterKey(text: string): Bytes | undefined {
  const trimmed = text.trim();
  const bytes = trimmed.length === MASTER_KEY_BYTES * 2 ? fromHex(trimmed) : fromBase64(trimmed);
  return bytes?.length === MASTER_KEY_BYTES ? bytes : undefined;
}
