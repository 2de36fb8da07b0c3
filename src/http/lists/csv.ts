import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import { streamed } from "../../base/net/streamed.ts";
import type { PageTurns } from "../../base/waiting/page_turns.ts";

type ReadPage = (cursor: number | null, limit: number) => Promise<{
  readonly rows: readonly object[];
  readonly next: number | null;
}>;

interface CsvList {
  readonly names: readonly string[];
  /** Fields whose text is a number. */
  readonly numbers: ReadonlySet<string>;
  readonly read: ReadPage;
  /** Other requests wait while so many are read. */
  readonly rowsAtOnce: number;
  /** Shared by all who read one. */
  readonly turns: PageTurns;
  /** Called once, however it ends. */
  readonly onEnd: (fault?: unknown) => void;
}

/** All rows, read page by page as the client takes them. A fault cuts the connection off. */
export function csvStream(list: CsvList, headers: Headers): Response {
  let isOver = false;
  const lines = csvLines(list, () => isOver);
  const end = (fault?: unknown) => {
    if (!isOver) list.onEnd(fault);
    isOver = true;
  };
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { value, done } = await lines.next();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end(error);
        controller.error(error);
      }
    },
    cancel: () => end(),
  }, { highWaterMark: 0 });
  return streamed(body, { headers });
}

async function* csvLines(
  { names, numbers, read, rowsAtOnce, turns }: CsvList,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  yield utf8(`${names.join(",")}\r\n`);
  let cursor: number | null = null;
  do {
    const page = await turns.run(() => read(cursor, rowsAtOnce));
    const lines = page.rows.map((row) => {
      const fields = row as Readonly<Record<string, unknown>>;
      return names.map((name) => csvCell(fields[name], { isNumber: numbers.has(name) })).join(",");
    });
    if (lines.length > 0) yield utf8(`${lines.join("\r\n")}\r\n`);
    cursor = page.next;
  } while (cursor !== null && !isOver());
}

/** Whether an Accept header prefers CSV to JSON. */
export function prefersCsv(accept: string | null): boolean {
  if (accept === null) return false;
  const weights = new Map(
    accept.toLowerCase().split(",").map((part) => {
      const [type = "", ...parameters] = part.split(";").map((one) => one.trim());
      const weight = parameters.find((one) => one.startsWith("q="));
      return [type, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    }),
  );
  const csv = weights.get("text/csv") ?? 0;
  return csv > 0 && csv >= (weights.get("application/json") ?? 0);
}
