import { type Bytes, readAtMost, utf8 } from "../../base/bytes.ts";
import { systemClock } from "../../base/clock.ts";
import { at } from "../../base/lists.ts";
import { hmacHex, importHmacKey, sha256Hex } from "../../base/secrets/crypto.ts";
import {
  BODY_BYTES_MAX,
  canonicalRequest,
  TIMESTAMP_TOLERANCE_S,
} from "../../domain/canonical_request.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { isoUtc } from "../../domain/time.ts";
import { command, type Context } from "../../operations/command.ts";
import { optional, required, UsageError } from "../../operations/operation.ts";

/** A longer one is not worth reading on a screen. */
const SHOWN_BYTES_MAX = 4096;

const STDIN = "-";

const KEY_ID: kind.Kind<string> = {
  word: "KEY_ID",
  is: "a key's id",
  read: (text) => /^[\w-]{1,64}$/.test(text) ? text : undefined,
};

export const SIGN_COMMAND = command({
  words: ["sign"],
  here: "it takes a secret",
  summary: "Signs a request and shows how, with a curl command that sends it",
  positionals: [
    { name: "METHOD", help: "such as GET or POST" },
    { name: "TARGET", help: "path and query, such as /v1/transactions?limit=10" },
  ],
  flags: {
    key: required(KEY_ID, {
      help: "the API key's id",
      example: "cpg_3q2-7w",
    }),
    secret: optional(kind.standardInput, {
      help: "its secret is the first line of standard input; on a terminal, you are asked for it",
      example: "-",
    }),
    body: optional(kind.text({ max: 4096, word: "FILE" }), {
      help: "the request's body; -: standard input, after the secret. " +
        "The compiled program reads only files in ./data",
      example: "-",
    }),
    timestamp: optional(kind.integer({ min: 0, max: 999_999_999_999 }), {
      help: "Unix seconds, to repeat an earlier signature; now if not given",
      example: "1767225600",
    }),
    url: optional(kind.webUrl, {
      help: "the gateway, for the curl command; CPG_URL or the configured one if not given",
      example: "https://pay.example.com",
    }),
  },
  examples: [
    "sign --key cpg_3q2-7w --secret - GET /v1/_ping",
    "sign --key cpg_3q2-7w --secret - POST /v1/withdrawals --body data/withdrawal.json",
  ],
  run: async (context, { flags, positionals }) => {
    const method = methodOf(at(positionals, 0));
    const target = targetOf(at(positionals, 1));
    const secret = await readSecret(context, flags.key);
    const body = await readBody(context, flags.body);
    const now = Math.floor(systemClock.nowMs() / 1000);
    const timestamp = String(flags.timestamp ?? now);
    const hash = sha256Hex(body);
    const canonical = canonicalRequest({ timestamp, method, target, bodyHashHex: hash });
    const headers = {
      "X-CPG-Key": flags.key,
      "X-CPG-Timestamp": timestamp,
      "X-CPG-Signature": await hmacHex(await importHmacKey(utf8(secret)), canonical),
    };
    const base = flags.url ?? (context.host.env.CPG_URL || context.host.publicUrl());
    const url = base.replace(/(?<!\/)\/+$/, "") + target;
    const curl = curlCommand({ method, url, headers, body, file: flags.body });
    const shape = { canonical, hash, headers, curl };
    context.answer(shape, () => explained(shape, { body, timestampS: Number(timestamp) }));
  },
});

function methodOf(text: string): string {
  if (!/^[A-Za-z]{1,20}$/.test(text)) throw new UsageError(`"${text}" is not an HTTP method`);
  return text.toUpperCase();
}

/** Whatever a client would change before it sends it would be signed wrongly. */
function targetOf(text: string): string {
  if (!text.startsWith("/")) {
    throw new UsageError(
      `TARGET is the path, beginning with "/", such as /v1/_ping, not "${text}"`,
    );
  }
  if (!/^[!-~]+$/.test(text) || text.includes("#")) {
    throw new UsageError(`"${text}" has characters that must be percent-encoded in a URL`);
  }
  return text;
}

async function readSecret({ host }: Context, keyId: string): Promise<string> {
  const secret = (await host.readSecret(`Secret of ${keyId}: `) ?? "").trim();
  if (secret === "") throw new OperatorError("There is no secret on standard input");
  if (secret === keyId) throw new OperatorError("That is the key's id, not its secret");
  return secret;
}

async function readBody({ host }: Context, file: string | undefined): Promise<Bytes> {
  if (file === undefined) return new Uint8Array();
  const body = file === STDIN
    ? await host.readRest(BODY_BYTES_MAX)
    : await readAtMost((await opened(file)).readable, BODY_BYTES_MAX);
  if (body) return body;
  throw new OperatorError(`The body is larger than ${BODY_BYTES_MAX} bytes, so it is refused`);
}

async function opened(file: string): Promise<Deno.FsFile> {
  try {
    return await Deno.open(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) {
      throw new OperatorError(
        `This program can read only files in ./data. Give it the body after the secret: ` +
          `printf '%s\\n' "$CPG_SECRET" | cat - ${quoted(file)} | ... --body -`,
        { cause: error },
      );
    }
    if (!(error instanceof Error)) throw error;
    throw new OperatorError(`${file} can't be read: ${error.message}`, { cause: error });
  }
}

interface Signed {
  readonly canonical: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly curl: string;
}

function explained(
  { canonical, headers, curl }: Signed,
  { body, timestampS }: { body: Bytes; timestampS: number },
): string {
  const meanings = [
    "time: Unix seconds",
    "method",
    "path, as sent",
    'query: what follows the "?", as sent',
    body.length === 0 ? "SHA-256 of the empty body" : `SHA-256 of the body, ${body.length} bytes`,
  ];
  const lines = canonical.split("\n").map((line, i) =>
    `  ${i + 1}  ${at(meanings, i)}\n     ${line === "" ? "(empty line)" : line}\n`
  );
  const sent = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`);
  const untilS = timestampS + TIMESTAMP_TOLERANCE_S;
  return `These five lines are signed, joined by line feeds, without one at the end:\n\n` +
    `${lines.join("")}\nThe signature is their HMAC-SHA256, keyed with the secret, in hex:\n\n` +
    `${sent.join("")}\nIt is valid until ${isoUtc(untilS * 1000)}, and for a write only once.\n\n` +
    `${curl}\n`;
}

interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes;
  /** Where the body came from; "-" is standard input. */
  readonly file: string | undefined;
}

/** Sends exactly what was signed. */
export function curlCommand({ method, url, headers, body, file }: CurlRequest): string {
  const isChangedByCurl = /[[\]{}]|\/\.{1,2}(\/|\?|$)/.test(url);
  const parts = [
    `curl -sS -X ${method}${isChangedByCurl ? " --globoff --path-as-is" : ""} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...body.length === 0 ? [] : ["-H 'Content-Type: application/json'", dataOf(body, file)],
  ];
  return parts.join(" \\\n  ");
}

function dataOf(body: Bytes, file: string | undefined): string {
  if (file !== undefined && file !== "-") return `--data-binary ${quoted(`@${file}`)}`;
  const text = shownText(body);
  return text === undefined ? "--data-binary @-" : `--data-raw ${quoted(text)}`;
}

/** Undefined if an argument can't hold it, or nobody could read it. */
function shownText(body: Bytes): string | undefined {
  if (body.length > SHOWN_BYTES_MAX) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    // deno-lint-ignore no-control-regex -- exactly these must not reach a terminal
    return /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(text) ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
