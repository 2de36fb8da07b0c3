import { present } from "../base/assert.ts";
import { type Bytes, fromBase64, fromHex, toBase64, utf8 } from "../base/bytes.ts";
import { deriveSealingKey, hmacHex, importHmacKey, seal, unseal } from "../base/secrets/crypto.ts";
import { markSealed, readSealed } from "../base/secrets/sealed_text.ts";
import { OperatorError } from "../domain/refusal.ts";

const MASTER_KEY_BYTES = 32;
const KEY_ID_HEX = 16;

/** Seals the installation's secrets under the master key. Its contents never reach a log. */
export interface Vault {
  /** The key this program was started with. */
  givenKeyId(): string;
  /** The key that seals from now on. The id reveals nothing about the key itself. */
  keyId(): string;
  knows(keyId: string): boolean;
  /** `context` names row and column, so a secret copied elsewhere doesn't open. */
  seal(secret: string, context: string): Promise<string>;
  open(sealed: string, context: string): Promise<string>;
  /** Connects the present key and a new one, in both directions. */
  handOverTo(masterKey: Bytes): Promise<HandOver>;
  /** After this, the holder of either key has both and seals with the new one. */
  takeOver(handOver: HandOver): Promise<void>;
  /** The sealing key, as written to its file. */
  exportKey(): string;
}

/** Two master keys, each sealed with the other. */
export interface HandOver {
  readonly oldKeyId: string;
  readonly keyId: string;
  readonly newByOld: string;
  readonly oldByNew: string;
}

export class WrongMasterKey extends OperatorError {
  constructor(what: string) {
    super(`Cannot open ${what}: the master key is not the one it was sealed with`);
  }
}

interface Master {
  readonly id: string;
  readonly bytes: Bytes;
  readonly key: CryptoKey;
}

const NEW_CONTEXT = "master_keys.new";
const OLD_CONTEXT = "master_keys.old";

export async function createVault(masterKey: Bytes): Promise<Vault> {
  const given = await masterOf(masterKey);
  let current = given;
  const known = new Map([[given.id, given]]);
  const sealBy = async ({ id, key }: Master, secret: string, context: string) =>
    markSealed(id, await seal(key, utf8(secret), context));

  async function open(text: string, context: string): Promise<string> {
    const { keyId, sealed } = readSealed(text);
    for (const master of keyId === undefined ? known.values() : [known.get(keyId)]) {
      const bytes = master && await unseal(master.key, sealed, context);
      if (bytes) return new TextDecoder().decode(bytes);
    }
    throw new WrongMasterKey(`the secret "${context}"`);
  }

  async function learn(sealed: string, context: string): Promise<Master> {
    const master = await masterOf(bytesOf(await open(sealed, context)));
    known.set(master.id, master);
    return master;
  }

  return {
    givenKeyId: () => given.id,
    keyId: () => current.id,
    knows: (keyId) => known.has(keyId),
    seal: (secret, context) => sealBy(current, secret, context),
    open,
    handOverTo: async (bytes) => {
      const next = await masterOf(bytes);
      return {
        oldKeyId: current.id,
        keyId: next.id,
        newByOld: await sealBy(current, toBase64(next.bytes), NEW_CONTEXT),
        oldByNew: await sealBy(next, toBase64(current.bytes), OLD_CONTEXT),
      };
    },
    takeOver: async ({ keyId, oldKeyId, newByOld, oldByNew }) => {
      if (!known.has(oldKeyId)) await learn(oldByNew, OLD_CONTEXT);
      current = known.get(keyId) ?? await learn(newByOld, NEW_CONTEXT);
    },
    exportKey: () => toBase64(current.bytes),
  };
}

async function masterOf(bytes: Bytes): Promise<Master> {
  const id = await hmacHex(await importHmacKey(bytes), "cpg/master-key-id/v1");
  return {
    id: id.slice(0, KEY_ID_HEX),
    bytes,
    key: await deriveSealingKey(bytes, "cpg/secrets/v1"),
  };
}

/** 32 bytes as base64 or hex. Undefined for anything else. */
export function parseMasterKey(text: string): Bytes | undefined {
  const trimmed = text.trim();
  const bytes = trimmed.length === MASTER_KEY_BYTES * 2 ? fromHex(trimmed) : fromBase64(trimmed);
  return bytes?.length === MASTER_KEY_BYTES ? bytes : undefined;
}

function bytesOf(text: string): Bytes {
  return present(fromBase64(text), "It was sealed as base64");
}
