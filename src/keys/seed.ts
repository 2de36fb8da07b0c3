import { generateMnemonic, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import { HDKey } from "@scure/bip32";
import { invariant } from "../base/assert.ts";
import { utf8 } from "../base/bytes.ts";

const WORDS_24_BITS = 256;
const WORDS = [12, 15, 18, 21, 24];

export function newRecoveryPhrase(): string {
  return generateMnemonic(wordlist, WORDS_24_BITS);
}

/** Lower case, single spaces. Undefined if a word or the checksum is wrong. */
export function parseRecoveryPhrase(text: string): string | undefined {
  const phrase = text.trim().toLowerCase().split(/\s+/).join(" ");
  return validateMnemonic(phrase, wordlist) ? phrase : undefined;
}

export async function rootOf(phrase: string): Promise<HDKey> {
  return HDKey.fromMasterSeed(await seedOf(phrase));
}

/** As BIP-39 says, like the library's function, but natively: that one takes most of a start. */
async function seedOf(phrase: string): Promise<Uint8Array> {
  invariant(WORDS.includes(phrase.split(" ").length), "A recovery phrase has 12 to 24 words");
  const text = utf8(phrase.normalize("NFKD"));
  const key = await crypto.subtle.importKey("raw", text, "PBKDF2", false, ["deriveBits"]);
  const how = { name: "PBKDF2", hash: "SHA-512", salt: utf8("mnemonic"), iterations: 2048 };
  return new Uint8Array(await crypto.subtle.deriveBits(how, key, 512));
}
