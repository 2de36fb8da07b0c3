import { z } from "zod";
import { keysOf } from "../base/lists.ts";

/** What a field may be, for the document, and its value. */
type Field<Row> = readonly [schema: z.ZodType, valueOf: (row: Row) => unknown];
type Fields<Row> = Readonly<Record<string, Field<Row>>>;

type Column<Row> = readonly [name: string, valueOf: (row: Row) => unknown];

/** What is said about such rows: schema and values from one list of fields, in this order. */
interface Answer<Row, F extends Fields<Row>> {
  readonly fields: F;
  readonly schema: z.ZodObject<{ [Name in keyof F]: F[Name][0] }>;
  of(row: Row): { [Name in keyof F]: ReturnType<F[Name][1]> };
  /** Of a CSV file. */
  columns(names: readonly (keyof F)[]): readonly Column<Row>[];
}

export function answersAbout<Row>() {
  return <const F extends Fields<Row>>(fields: F): Answer<Row, F> => {
    const names = keysOf(fields);
    const by = <T>(value: (field: Field<Row>) => T) =>
      Object.fromEntries(names.map((name) => [name, value(fields[name]!)]));
    return {
      fields,
      schema: z.object(by(([schema]) => schema)) as Answer<Row, F>["schema"],
      columns: (names) => names.map((name) => [String(name), fields[name]![1]]),
      of: (row) => by(([, valueOf]) => valueOf(row)) as ReturnType<Answer<Row, F>["of"]>,
    };
  };
}
