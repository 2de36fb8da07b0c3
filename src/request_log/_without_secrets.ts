const HIDDEN = "(hidden)";
/**
 * Names of fields whose values must not be in a log. The length is limited, because the time to
 * match a name grows with its square.
 */
const SECRET_NAME =
  "[\\w-]{0,64}(?:secret|passw|token|private|mnemonic|seed|signature|api_?key)[\\w-]{0,64}";
const FIELD = new RegExp(`("${SECRET_NAME}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi");
const PARAMETER = new RegExp(`([?&]${SECRET_NAME}=)[^&\\n]*`, "gi");
/** As this gateway makes them: secrets of keys and webhooks. */
const OURS = /\bwhsec_[\w+/=-]+|(?<![\w-])[\w-]{43}(?![\w-])/g;
/** Private keys and signatures. */
const HEX_KEY = /(?<![0-9a-z])(?:0x)?(?:[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{130})(?![0-9a-z])/gi;

/** Senders make mistakes, and a secret that they sent by mistake must not be kept. */
export function bodyWithoutSecrets(text: string): string {
  return text.replace(FIELD, `$1"${HIDDEN}"`).replace(OURS, HIDDEN).replace(HEX_KEY, HIDDEN);
}

/** A path with its query. Hashes of transactions are hex as well, and not secret. */
export function targetWithoutSecrets(text: string): string {
  return text.replace(PARAMETER, `$1${HIDDEN}`).replace(OURS, HIDDEN);
}

/** The five lines: the body's hash is shown, and anything in place of a time isn't. */
export function canonicalWithoutSecrets(text: string): string {
  const [time = "", method = "", path = "", query = "", ...hash] = text.split("\n");
  const target = targetWithoutSecrets(`${path}?${query}`);
  const mark = target.indexOf("?");
  const shownTime = /^[\d.+-]{1,20}$/.test(time) ? time : HIDDEN;
  return [shownTime, method, target.slice(0, mark), target.slice(mark + 1), ...hash].join("\n");
}
