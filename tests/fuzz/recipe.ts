import { type Credentials, signedHeaders } from "../support/api_client.ts";
import { smallest } from "./fuzz.ts";

/** A request as it can be written down, made again and made smaller; it is signed when it is sent. */
export interface Recipe {
  readonly via: "api" | "dashboard";
  readonly method: string;
  /** The target as it is sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A character for each byte. */
  readonly body: string | null;
  readonly ip: string;
  /** Null: not signed. */
  readonly signedBy: Credentials | null;
  /** Seconds between now and the signature's time. */
  readonly offsetS: number;
  /** The body ends early with an error. */
  readonly isAborted: boolean;
}

const NOT_CONSTRUCTIBLE = /^(connect|trace|track)$/i;

/** Undefined if the built-in Request refuses it; then it can only be sent raw. */
export function requestOf(recipe: Recipe): Request | undefined {
  const { method, target, signedBy, offsetS } = recipe;
  if (NOT_CONSTRUCTIBLE.test(method) || !/^[\w!#$%&'*+.^`|~-]+$/.test(method)) return undefined;
  const bytes = bytesOf(recipe.body ?? "");
  const timestamp = String(Math.floor(Date.now() / 1_000) + offsetS);
  const signed = signedBy
    ? signedHeaders(signedBy, { method, target, body: bytes, timestamp })
    : {};
  const hasBody = recipe.body !== null && !/^(get|head)$/i.test(method);
  try {
    const request = new Request("http://127.0.0.1/", {
      method,
      headers: { ...signed, ...recipe.headers },
      ...(hasBody ? { body: recipe.isAborted ? aborted(bytes) : bytes } : {}),
    });
    // A server's URL isn't normalised; that of a Request made here is.
    Object.defineProperty(request, "url", { value: `http://127.0.0.1${target}` });
    return request;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function aborted(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let isSent = false;
  return new ReadableStream({
    pull: (controller) => {
      if (isSent) controller.error(new TypeError("request body receiver not connected"));
      else controller.enqueue(bytes);
      isSent = true;
    },
  });
}

function bytesOf(body: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(body, (character) => character.charCodeAt(0));
}

/** A character for each byte. */
export function binary(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}

/** Without the parts that don't matter. */
export async function smallestRecipe(
  recipe: Recipe,
  fails: (recipe: Recipe) => Promise<boolean>,
): Promise<Recipe> {
  let best = recipe;
  const attempt = async (change: Partial<Recipe>) => {
    const smaller = { ...best, ...change };
    const isEnough = await fails(smaller);
    if (isEnough) best = smaller;
    return isEnough;
  };
  await attempt({ isAborted: false });
  await attempt({ signedBy: null });
  await attempt({ body: null });
  for (const name of Object.keys(best.headers)) {
    const { [name]: _left, ...headers } = best.headers;
    await attempt({ headers });
  }
  if (best.body !== null) await smallest(best.body, (body) => attempt({ body }));
  await smallest(best.target, (target) => attempt({ target }));
  return best;
}

export function describeRecipe({ signedBy, body, ...recipe }: Recipe): string {
  const long = body !== null && body.length > 2_000
    ? `${body.slice(0, 2_000)}… (${body.length})`
    : body;
  return JSON.stringify({ ...recipe, isSigned: signedBy !== null, body: long });
}
