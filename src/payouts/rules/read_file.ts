import { type CsvRow, csvRows, OpenQuote } from "../../base/csv_rows.ts";
import * as kind from "../../domain/kinds.ts";
import { CLIENT_REFERENCE_MAX, type Payout } from "../../withdrawals/rules/fields.ts";

export const BATCH_LINES_MAX = 500;
export const BATCH_BYTES_MAX = 64 * 1024;
const ADDRESS_CHARS_MAX = 256;
const REFERENCE = kind.text({ max: CLIENT_REFERENCE_MAX });

/** In the order of a file without titles. */
const BATCH_COLUMNS = ["to_address", "amount", "reference", "currency", "network"] as const;
type BatchColumn = typeof BATCH_COLUMNS[number];

/** What a line of the file asks for. */
export interface FileLine extends Payout {
  /** In the file, counted from 1. */
  readonly line: number;
  /** Null: the batch gives it one. */
  readonly reference: string | null;
}

export interface LineFault {
  /** 0: the file as a whole. */
  readonly line: number;
  readonly text: string;
}

export interface ReadFile {
  readonly lines: readonly FileLine[];
  readonly faults: readonly LineFault[];
}

/** All lines and all their faults. Lines without a currency are in the one that was chosen. */
export function readPayoutFile(
  text: string,
  chosen: { network: string; currency: string },
): ReadFile {
  if (text.includes("\uFFFD")) return whole("The file is not in UTF-8");
  const rows = rowsOf(text);
  if (typeof rows === "string") return whole(rows);
  const [first, ...others] = rows;
  if (!first) return whole("There are no lines");
  const titles = titlesOf(first);
  if (typeof titles === "string") return whole(titles);
  const lines = titles ? others : rows;
  if (lines.length === 0) return whole("There are titles but no lines");
  if (lines.length > BATCH_LINES_MAX) {
    return whole(`There are ${lines.length} lines, and at most ${BATCH_LINES_MAX} are allowed`);
  }
  const read = lines.map((row) => readLine(row, { titles: titles ?? BATCH_COLUMNS, chosen }));
  const found = read.flatMap(({ line }) => line ?? []);
  return { lines: found, faults: [...read.flatMap(({ faults }) => faults), ...repeated(found)] };
}

function whole(text: string): ReadFile {
  return { lines: [], faults: [{ line: 0, text }] };
}

function rowsOf(text: string): CsvRow[] | string {
  try {
    return csvRows(text);
  } catch (error) {
    if (error instanceof OpenQuote) return error.message;
    throw error;
  }
}

/** Undefined: the first row is a payout already. A text: what is wrong with the titles. */
function titlesOf({ cells }: CsvRow): readonly BatchColumn[] | string | undefined {
  const names = cells.map((cell) => cell.toLowerCase().replaceAll(" ", "_"));
  if (!names.includes("to_address") && !names.includes("amount")) return undefined;
  const columns = names.map((name) => BATCH_COLUMNS.find((column) => column === name));
  const unknown = cells.filter((_, i) => columns[i] === undefined)
    .map((cell) => `"${cell.slice(0, 40)}"`);
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).join(" or ");
    return `There is no column ${named}; the columns are ${BATCH_COLUMNS.join(", ")}`;
  }
  const missing = (["to_address", "amount"] as const).find((name) => !columns.includes(name));
  if (missing) return `The column ${missing} is missing`;
  if (new Set(columns).size < columns.length) return "A column comes twice";
  return columns.filter((column) => column !== undefined);
}

function readLine(
  { line, cells }: CsvRow,
  { titles, chosen }: {
    titles: readonly BatchColumn[];
    chosen: { network: string; currency: string };
  },
): { line?: FileLine; faults: LineFault[] } {
  const cell = (name: BatchColumn) => cells[titles.indexOf(name)] ?? "";
  const [toAddress, written, reference] = [cell("to_address"), cell("amount"), cell("reference")];
  const amount = kind.amount.read(written);
  const texts = [
    cells.length > titles.length ? `It has ${cells.length} cells, not ${titles.length}` : undefined,
    addressFault(toAddress),
    written === "" ? "The amount is missing" : undefined,
    written !== "" && amount === undefined ? `The amount must be ${kind.amount.is}` : undefined,
    reference !== "" && REFERENCE.read(reference) === undefined
      ? `The reference must be ${REFERENCE.is}`
      : undefined,
  ];
  const faults = texts.filter((text) => text !== undefined).map((text) => ({ line, text }));
  const [network, currency] = [
    cell("network") || chosen.network,
    cell("currency") || chosen.currency,
  ];
  if (faults.length > 0 || amount === undefined) return { faults };
  const asked = { line, network, currency, toAddress, amount };
  return { line: { ...asked, reference: reference || null }, faults };
}

function addressFault(text: string): string | undefined {
  if (text === "") return "The address is missing";
  return text.length > ADDRESS_CHARS_MAX ? "The address is too long" : undefined;
}

/** Two payouts with one reference would be one payout. */
function repeated(lines: readonly FileLine[]): LineFault[] {
  const first = new Map<string, number>();
  return lines.flatMap(({ line, reference }) => {
    if (reference === null) return [];
    const before = first.get(reference);
    if (before === undefined) first.set(reference, line);
    return before === undefined
      ? []
      : [{ line, text: `Its reference is the same as in line ${before}` }];
  });
}
