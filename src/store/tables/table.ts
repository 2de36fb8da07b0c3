import { invariant, InvariantError } from "../../base/assert.ts";

/** How a column's value looks in code; the database knows integers and text only. */
type ColumnType = "int" | "text" | "bool" | "json";
export type RowValue = string | number | null;

/** One table, declared once: its rows' type and every statement come from this. */
export interface Table<Row extends object> {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key and every unique index, by the fields they cover. Nulls are in no index. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** The id is given by the writer, rising and never used again. */
  readonly isSerial: boolean;
  /** A change is seen by every process's cache within its next check. */
  readonly isConfig: boolean;
  /** Fields sealed with the master key, and what each is sealed as (its context). */
  readonly sealed: readonly SealedField[];
  /** Rows are only added, and the store gives each a `hash` that holds the one of the row before. */
  readonly isChained: boolean;
  /** What all rows come to is kept beside the log's head. */
  readonly isSummed: boolean;
  /** The columns as they are stored, the seal of a protected table included. */
  readonly stored: readonly Column[];
  /** Places of the columns that a row's seal covers; undefined: its rows carry none. */
  readonly guarded: readonly number[] | undefined;
  /** Only for the type checker. */
  readonly row?: Row;
}

interface SealedField {
  readonly field: string;
  contextOf(row: object): string;
}

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

/** What a column holds, in the database and in code. `T` narrows it: a state, the shape of JSON. */
class Kind<T> {
  declare readonly value: T;

  constructor(readonly type: ColumnType, readonly isNullable = false) {}

  orNull(): Kind<T | null> {
    return new Kind(this.type, true);
  }
}

export const int = <T extends number = number>() => new Kind<T>("int");
export const text = <T extends string = string>() => new Kind<T>("text");
export const bool = <T extends boolean = boolean>() => new Kind<T>("bool");
export const json = <T>() => new Kind<T>("json");

type Kinds = Readonly<Record<string, Kind<unknown>>>;

export type RowOf<T> = T extends Table<infer Row> ? Row : never;

interface TableOptions<K extends Kinds> {
  readonly columns: K;
  readonly primary: readonly Names<K>[];
  readonly unique?: Readonly<Record<string, readonly Names<K>[]>>;
  readonly isSerial?: boolean;
  readonly isConfig?: boolean;
  /** For each sealed field the context it is sealed with: a change of the master key seals it anew. */
  readonly sealed?: { readonly [F in Names<K>]?: (row: RowFrom<K>) => string };
  readonly isChained?: boolean;
  readonly isSummed?: boolean;
  /** Each row carries a keyed hash of all its fields but these, which decide nothing about money. */
  readonly unguarded?: readonly Names<K>[];
}

type Names<K> = keyof K & string;
type RowFrom<K extends Kinds> = { readonly [F in keyof K]: K[F]["value"] };

export const PRIMARY = "primary";
const SEAL: Column = { field: "seal", name: "seal", type: "text", isNullable: true };

export function defineTable<K extends Kinds>(
  name: string,
  options: TableOptions<K>,
): Table<{ readonly [F in keyof K]: K[F]["value"] }> {
  const columns = Object.entries(options.columns)
    .map(([field, { type, isNullable }]) => ({ field, name: snakeCase(field), type, isNullable }));
  const unguarded: readonly string[] | undefined = options.unguarded;
  return {
    name,
    columns,
    keys: { [PRIMARY]: options.primary, ...options.unique },
    isSerial: options.isSerial ?? false,
    isConfig: options.isConfig ?? false,
    sealed: Object.entries(options.sealed ?? {}).map(([field, contextOf]) => ({
      field,
      contextOf: contextOf as (row: object) => string,
    })),
    isChained: options.isChained ?? false,
    isSummed: options.isSummed ?? false,
    stored: unguarded ? [...columns, SEAL] : columns,
    guarded: unguarded && columns.flatMap(({ field }, i) => unguarded.includes(field) ? [] : [i]),
  };
}

/** The values of a key as one text, different for any two. */
export function keyText(values: readonly RowValue[]): string {
  const [value] = values;
  // Most keys are one id: the same text, sooner.
  if (values.length === 1 && typeof value === "number") return `[${value}]`;
  return JSON.stringify(values);
}

/** The row as the array of plain values that go into a statement. */
export function toValues(table: Table<object>, row: object): RowValue[] {
  const values: RowValue[] = [];
  for (const column of table.columns) {
    values.push(toValue(column, (row as Record<string, unknown>)[column.field], table));
  }
  return values;
}

function toValue({ field, type }: Column, value: unknown, table: Table<object>): RowValue {
  if (value === null) return null;
  if (type === "int" ? Number.isSafeInteger(value) : typeof value === "string" && type === "text") {
    return value as RowValue;
  }
  if (type === "bool" && typeof value === "boolean") return value ? 1 : 0;
  if (type === "json" && value !== undefined) return JSON.stringify(value);
  throw new InvariantError(`${table.name}.${field} cannot be ${String(value)}`);
}

/** Beside the rows, not in them: nobody who copies a row copies its seal. */
const seals = new WeakMap<object, string | null>();

/** The seal that a row was read with. */
export function sealRead(row: object): string | null {
  return seals.get(row) ?? null;
}

export function fromValues<Row extends object>(
  table: Table<Row>,
  values: readonly RowValue[],
): Row {
  const row: Record<string, unknown> = {};
  table.columns.forEach(({ field, type }, i) => {
    const value = values[i] ?? null;
    if (value === null) row[field] = null;
    else if (type === "bool") row[field] = value === 1;
    else if (type === "json") row[field] = JSON.parse(value as string);
    else row[field] = value;
  });
  if (table.guarded) seals.set(row, values[table.columns.length] as string | null);
  return row as Row;
}

export function columnList(table: Table<object>, alias?: string): string {
  return table.stored.map((column) => alias ? `${alias}.${column.name}` : column.name).join(", ");
}

export function columnName(table: Table<object>, field: string): string {
  const column = table.columns.find((candidate) => candidate.field === field);
  invariant(column, `${table.name} has no field ${field}`);
  return column.name;
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
