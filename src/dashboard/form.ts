import { type Bytes, readAtMost, toBase64 } from "../base/bytes.ts";
import { inTime, Waits } from "../base/waiting/waits.ts";
import type { Kind } from "../domain/kinds.ts";
import { hasSeparators, pointed } from "../domain/money/typed.ts";
import { OperatorError, Refused } from "../domain/refusal.ts";

const FORM_BYTES_MAX = 64 * 1024;
/** A file of that size and some fields. */
const FORM_WITH_FILE_BYTES_MAX = FORM_BYTES_MAX + 8 * 1024;
const FORM_PARTS_MAX = 50;

const MARKED = "Check the highlighted fields";

/** What the user has to correct: one message, and one for each field. */
export class FormFault extends OperatorError {
  override name = "FormFault";

  constructor(message: string, readonly fields: ReadonlyMap<string, string> = new Map()) {
    super(message);
  }
}

/** One field is wrong. */
export function fieldFault(name: string, text: string): FormFault {
  return new FormFault(MARKED, new Map([[name, text]]));
}

export interface Fields {
  required<T>(name: string, kind: Kind<T>): T;
  /** Undefined if left empty. */
  optional<T>(name: string, kind: Kind<T>): T | undefined;
  /** A single checkbox. */
  ticked(name: string): boolean;
  /** The values of all ticked checkboxes of that name. */
  chosen<T>(name: string, kind: Kind<T>): T[];
}

/** A submitted form. */
export class Form {
  constructor(readonly values: URLSearchParams = new URLSearchParams()) {}

  text(name: string): string {
    return this.values.get(name) ?? "";
  }

  /** Reads all fields at once, so that the user sees every error together. */
  read<T>(build: (fields: Fields) => T): T {
    const faults = new Map<string, string>();
    const parse = <V>(name: string, kind: Kind<V>, text: string): V => {
      const typed = kind.isDecimal ? pointed(text) : text.trim();
      const value = kind.read(typed);
      if (value === undefined) {
        const isUnclear = kind.isDecimal && hasSeparators(typed);
        faults.set(name, `Must be ${kind.is}${isUnclear ? ", without thousands separators" : ""}`);
      }
      return value as V;
    };
    const result = build({
      required: (name, kind) => parse(name, kind, this.text(name)),
      optional: (name, kind) =>
        this.text(name).trim() === "" ? undefined : parse(name, kind, this.text(name)),
      ticked: (name) => this.values.has(name),
      chosen: (name, kind) => this.values.getAll(name).map((text) => parse(name, kind, text)),
    });
    if (faults.size > 0) throw new FormFault(MARKED, faults);
    return result;
  }
}

/** The browser disconnected before it had sent everything. */
export class FormIncomplete extends Error {
  override name = "FormIncomplete";
}

function received(
  body: ReadableStream<Bytes>,
  bytesMax = FORM_BYTES_MAX,
): Promise<Bytes | undefined> {
  return readAtMost(body, bytesMax).catch((cause) => {
    throw new FormIncomplete("The form is incomplete", { cause });
  });
}

/** Reads forms, with a limit on the time for the body. */
export function formReader(timeoutMs: number): (request: Request) => Promise<Form | undefined> {
  const waits = new Waits(timeoutMs);
  const late = () => new Refused("body_too_slow");
  return (request) => inTime(readForm(request), { waits, late });
}

/** Undefined if it is too long or no form at all. */
async function readForm(request: Request): Promise<Form | undefined> {
  const type = request.headers.get("content-type") ?? "";
  if (/^multipart\/form-data\b/i.test(type)) return await readFormWithFile(request, type);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) return undefined;
  if (Number(request.headers.get("content-length") ?? 0) > FORM_BYTES_MAX) return undefined;
  const body = request.body ? await received(request.body) : new Uint8Array();
  return body && new Form(new URLSearchParams(new TextDecoder().decode(body)));
}

/** A file counts as the text in it, a picture as its base64. */
async function readFormWithFile(request: Request, type: string): Promise<Form | undefined> {
  const bytes = request.body
    ? await received(request.body, FORM_WITH_FILE_BYTES_MAX)
    : new Uint8Array();
  if (!bytes) return undefined;
  const parts = await new Response(bytes, { headers: { "content-type": type } }).formData()
    .catch(() => undefined);
  if (!parts || [...parts].length > FORM_PARTS_MAX) return undefined;
  const values = new URLSearchParams();
  for (const [name, value] of parts) {
    values.append(name, typeof value === "string" ? value : await textOf(value));
  }
  return new Form(values);
}

async function textOf(file: File): Promise<string> {
  return file.type.startsWith("image/") ? toBase64(await file.bytes()) : await file.text();
}
