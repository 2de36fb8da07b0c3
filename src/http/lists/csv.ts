import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import { streamed } from "../../base/net/streamed.ts";
import type { Place } from "../../base/waiting/shares.ts";

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
  /** Of the caller, who leaves it when the CSV ends. */
  readonly place: Pick<Place, "turn">;
  /** Called once, however it ends. */
  readonly onEnd: (fault?: unknown) => void;
}

/** All rows, read page by page as the client takes them. A fault cuts the connection off. */
export function csvStream(list: CsvList, headers: Headers): Response {
  let isOver = false;
  const lines = csvLines(list, () => isOver);
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
  return streamed(body, { headers }, (fault) => {
    isOver = true;
    list.onEnd(fault);
  });
}

async function* csvLines(
  { names, numbers, read, rowsAtOnce, place }: CsvList,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  const lineOf = (row: object): string => {
    const fields = row as Readonly<Record<string, unknown>>;
    const cells = names.map((name) => csvCell(fields[name], { isNumber: numbers.has(name) }));
    return `${cells.join(",")}\r\n`;
  };
  yield utf8(`${names.join(",")}\r\n`);
  let cursor: number | null = null;
  do {
    const { lines, next }: { lines: string; next: number | null } = await place.turn(async () => {
      const page = await read(cursor, rowsAtOnce);
      return { lines: page.rows.map(lineOf).join(""), next: page.next };
    });
    if (lines !== "") yield utf8(lines);
    cursor = next;
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
