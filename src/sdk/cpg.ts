import { ReferenceUsedError, WithdrawalFailedError } from "./errors.ts";
import { type Operation, Operations } from "./operations.ts";
import { Rows } from "./rows.ts";
import { type Line, send } from "./send.ts";
import { importSecret } from "./sign.ts";

export interface CpgOptions {
  /** Where the gateway listens: "https://pay.example.com". */
  readonly url: string;
  readonly keyId: string;
  readonly secret: string;
  /** For one attempt; 20 seconds by default. */
  readonly timeoutMs?: number;
  /** 4 by default. */
  readonly attempts?: number;
}

/** A client for the API of one gateway, with one key. */
export class Cpg extends Operations {
  readonly #line: Line;

  constructor({ url, keyId, secret, timeoutMs = 20_000, attempts = 4 }: CpgOptions) {
    super();
    mustBeGiven({ url, keyId, secret });
    const key = importSecret(secret);
    this.#line = { url: url.replace(/(?<!\/)\/+$/, ""), keyId, key, timeoutMs, attempts };
  }

  /**
   * A write without a reference gets one before its first attempt, so that an attempt whose answer
   * is lost can be repeated. If it fails, the error has it as `reference`.
   */
  protected override async call<T>(
    { method, path, query, body, reference }: Operation,
  ): Promise<T> {
    const given = reference && (body as Record<string, unknown> | undefined)?.[reference];
    const name = reference && String(given ?? crypto.randomUUID());
    const answer = await send(this.#line, {
      method,
      path,
      query,
      body: reference ? { ...body, [reference]: name } : body,
      reference: name,
    });
    if (answer.replay === "different") throw new ReferenceUsedError(answer.data, answer.detail);
    if (answer.replay !== null && isUnpaid(answer.data)) {
      throw new WithdrawalFailedError(answer.data, answer.detail);
    }
    return answer.data as T;
  }

  protected override rows<T>({ method, path, query }: Operation): Rows<T> {
    const line = this.#line;
    return new Rows(async function* () {
      let cursor: number | string | null = null;
      do {
        const page = await send(line, {
          method,
          path,
          query: cursor === null ? query : { ...query, cursor },
        });
        yield page.data as T[];
        cursor = page.nextCursor;
      } while (cursor !== null);
    });
  }
}

/** A deposit address has no status. */
function isUnpaid(data: unknown): boolean {
  if (typeof data !== "object" || data === null || !("status" in data)) return false;
  return data.status === "failed" || data.status === "cancelled";
}

/** Usually they come from the environment, where one is easily missing. */
function mustBeGiven(options: Pick<CpgOptions, "url" | "keyId" | "secret">): void {
  for (const [name, value] of Object.entries(options)) {
    if (!value) throw new TypeError(`A Cpg needs the option ${name}`);
  }
  if (/^https?:\/\//.test(options.url)) return;
  throw new TypeError(`The url of a Cpg must begin with https:// or http://: ${options.url}`);
}
