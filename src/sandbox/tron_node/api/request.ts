import { fromBase58Check } from "../addresses.ts";
import { parseJson } from "./json.ts";
import { hexBytes, ParseFault } from "./proto.ts";
import type { Message } from "./values.ts";

/** One call, with its fields from the URL (GET) or the body (POST). */
export class ApiRequest {
  readonly #fields: Message;
  readonly visible: boolean;
  readonly isInt64AsString: boolean;

  constructor(
    readonly method: string,
    readonly path: string,
    readonly query: URLSearchParams,
    readonly body: string,
  ) {
    const isGet = method === "GET";
    const json = !isGet && body.trim() !== "" ? parseJson(body) : {};
    this.#fields = isGet ? Object.fromEntries(query) : json;
    const visible = isGet ? query.get("visible") : json.visible ?? query.get("visible");
    this.visible = visible === true || visible === "true";
    this.isInt64AsString = isGet && query.get("int64_as_string") === "true";
  }

  get fields(): Message {
    return this.#fields;
  }

  text(name: string): string {
    const value = this.#fields[name];
    return value === undefined || value === null ? "" : String(value);
  }

  /** A missing number is zero in a body, and in a URL an error if it is `required`. */
  number(name: string, { isRequired = false } = {}): number {
    const text = this.text(name);
    if (text === "" && !(isRequired && this.method === "GET")) return 0;
    if (!/^-?\d+$/.test(text)) {
      if (this.method === "GET") throw new NumberFormatFault(text);
      throw new ParseFault(`1:8: For input string: "${text}"`);
    }
    return Number(text);
  }

  int64(name: string): bigint {
    return BigInt(this.text(name) || "0");
  }

  flag(name: string): boolean {
    return this.text(name) === "true";
  }

  bytes(name: string): string {
    const text = this.text(name);
    if (this.method === "GET" && !/^([0-9a-fA-F]{2})*$/.test(text)) throw new DecoderFault(text);
    hexBytes(text);
    return text.toLowerCase();
  }

  /** Empty where it is missing; base58check only with `visible`. */
  address(name: string): string {
    const text = this.text(name);
    if (!this.visible || text === "") return this.bytes(name);
    const hex = fromBase58Check(text);
    if (hex === undefined) {
      if (/[^1-9A-HJ-NP-Za-km-z]/.test(text)) {
        throw new ParseFault(`1:13: INVALID base58 String, ${text}`);
      }
      throw new NullPointerFault();
    }
    return hex;
  }
}

class NumberFormatFault extends Error {
  override name = "java.lang.NumberFormatException";
  constructor(text: string) {
    super(text === "" ? "null" : `For input string: "${text}"`);
  }
}

export class DecoderFault extends Error {
  override name = "org.bouncycastle.util.encoders.DecoderException";
  constructor(text: string) {
    super(`exception decoding Hex string: invalid characters encountered in Hex string: ${text}`);
  }
}

class NullPointerFault extends Error {
  override name = "java.lang.NullPointerException";
  constructor() {
    super("null");
  }
}

export function errorAnswer({ name, message }: { name: string; message: string }): Message {
  return { Error: `class ${name} : ${message}` };
}
