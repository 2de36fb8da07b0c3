import { generateMnemonic, mnemonicToSeed, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import { HDKey } from "@scure/bip32";

const WORDS_24_BITS = 256;

export function newRecoveryPhrase(): string {
  return generateMnemonic(wordlist, WORDS_24_BITS);
}

/** Lower case, single spaces. Undefined if a word or the checksum is wrong. */
export function parseRecoveryPhrase(text: string): string | undefined {
  const phrase = text.trim().toLowerCase().split(/\s+/).join(" ");
  return validateMnemonic(phrase, wordlist) ? phrase : undefined;
}

export async function rootOf(phrase: string): Promise<HDKey> {
  return HDKey.fromMasterSeed(await mnemonicToSeed(phrase));
}
