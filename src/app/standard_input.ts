import { type Bytes, joined } from "../base/bytes.ts";
import { OperatorError } from "../domain/refusal.ts";

const LINE_BREAK = 10;
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const IS_ERASE = /[\b\x7f]/;

interface StandardInput {
  readLine(): Promise<string | undefined>;
  readRest(bytesMax: number): Promise<Bytes | undefined>;
}

/** Lines, and then what follows them byte for byte. */
export function openInput(stream: () => ReadableStream<Uint8Array>): StandardInput {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let rest: Bytes = new Uint8Array();

  async function more(): Promise<boolean> {
    reader ??= stream().getReader();
    const { value, done } = await reader.read();
    if (value) rest = joined([rest, value]);
    return !done;
  }

  async function readLine(): Promise<string | undefined> {
    while (!rest.includes(LINE_BREAK) && await more());
    if (rest.length === 0) return undefined;
    const end = rest.indexOf(LINE_BREAK);
    const line = end < 0 ? rest : rest.slice(0, end);
    rest = end < 0 ? new Uint8Array() : rest.slice(end + 1);
    return new TextDecoder().decode(line).replace(/\r$/, "");
  }

  async function readRest(bytesMax: number): Promise<Bytes | undefined> {
    while (rest.length <= bytesMax && await more());
    return rest.length <= bytesMax ? rest : undefined;
  }

  return { readLine, readRest };
}

/** What is typed is not shown. */
export async function readHidden(
  terminal: Pick<typeof Deno.stdin, "setRaw" | "read">,
): Promise<string | undefined> {
  const keys = new Uint8Array(1024);
  const decoder = new TextDecoder();
  let typed: string[] = [];
  terminal.setRaw(true);
  try {
    while (true) {
      const count = await terminal.read(keys);
      if (count === null) return undefined;
      for (const key of decoder.decode(keys.subarray(0, count), { stream: true })) {
        if (key === CTRL_C) throw new OperatorError("Cancelled");
        if (key === "\r" || key === "\n") return typed.join("");
        if (key === CTRL_D && typed.length === 0) return undefined;
        if (key === CTRL_U) typed = [];
        else if (IS_ERASE.test(key)) typed.pop();
        else if (key >= " ") typed.push(key);
      }
    }
  } finally {
    terminal.setRaw(false);
  }
}
