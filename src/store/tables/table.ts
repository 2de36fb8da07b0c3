import { invariant, InvariantError } from "../../base/assert.ts";

/** How a column's value looks in code; the database only has integers and text. */
type ColumnType = "int" | "text" | "bool" | "json";
export type RowValue = string | number | null;
/** In the order of the key's fields. */
export type KeyValues = readonly RowValue[];

/** The fields of a row, whatever its table. */
export type AnyRow = Readonly<Record<string, unknown>>;

/** One table, declared once: its rows' type and every statement come from this. */
export interface Table<Row extends AnyRow> {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The primary key and every unique index, with their fields. Nulls are in no index. */
  readonly keys: Keys;
  /** The writer gives the id, rising and never reused. */
  readonly isSerial: boolean;
  /** Every process's cache notices a change at its next check. */
  readonly isConfig: boolean;
  /** Dual control covers its rows: a unit changes them past a guard, or says why it needs none. */
  readonly isGuarded: boolean;
  /** Fields encrypted with the master key, with the context of each. */
  readonly encrypted: readonly EncryptedField[];
  /** Rows are only added, and each gets a `hash` that covers the previous row's. */
  readonly isChained: boolean;
  /** The sum of all rows is kept beside the log's head. */
  readonly isSummed: boolean;
  /** The columns as stored, including the seal if rows carry one. */
  readonly stored: readonly Column[];
  /** Indexes of the columns that a row's seal covers; undefined: rows carry none. */
  readonly sealedColumns: readonly number[] | undefined;
  /** Only for the type checker. */
  readonly row?: Row;
}

type Keys = Readonly<Record<string, readonly string[]> & Record<typeof PRIMARY, readonly string[]>>;

interface EncryptedField {
  readonly field: string;
  contextOf(row: AnyRow): string;
}

interface Column {
  readonly field: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly isNullable: boolean;
}

/** A column's type in the database and in code. `T` narrows it, for a state or the shape of JSON. */
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
  readonly isGuarded?: boolean;
  /** The context of each encrypted field: changing the master key encrypts it again. */
  readonly encrypted?: { readonly [F in Names<K>]?: (row: RowFrom<K>) => string };
  readonly isChained?: boolean;
  readonly isSummed?: boolean;
  /** Each row carries a seal over all fields but these, which decide nothing about money. */
  readonly sealedExcept?: readonly Names<K>[];
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
  const except: readonly string[] | undefined = options.sealedExcept;
  return {
    name,
    columns,
    keys: { [PRIMARY]: options.primary, ...options.unique },
    isSerial: options.isSerial ?? false,
    isConfig: options.isConfig ?? false,
    isGuarded: options.isGuarded ?? false,
    encrypted: Object.entries(options.encrypted ?? {}).flatMap(([field, contextOf]) =>
      contextOf ? [{ field, contextOf }] : []
    ),
    isChained: options.isChained ?? false,
    isSummed: options.isSummed ?? false,
    stored: except ? [...columns, SEAL] : columns,
    sealedColumns: except && columns.flatMap(({ field }, i) => except.includes(field) ? [] : [i]),
  };
}

/** A key's values as one text, unique for the values. A lone number stays one: maps find it faster. */
export type KeyText = string | number;

export function keyText(values: readonly RowValue[]): KeyText {
  const [first] = values;
  if (values.length === 1 && typeof first === "number") return first;
  let text = "";
  for (const value of values) text += valueText(value);
  return text;
}

/** Marks where it ends, so no two lists of values make the same text. JSON takes three times as long. */
export function valueText(value: RowValue): string {
  if (value === null) return "-";
  return typeof value === "number" ? `#${value};` : `${value.length}:${value}`;
}

export function mustExist<Row>(
  row: Row | undefined,
  { table, values }: { table: Table<AnyRow>; values: KeyValues },
): Row {
  invariant(row, () => `${table.name} has no row ${JSON.stringify(values)}`);
  return row;
}

/** The row's values in these fields, which are stored as they are: no flags, no JSON. */
export function valuesOf(row: AnyRow, fields: readonly string[]): RowValue[] {
  return fields.map((field) => {
    const value = row[field];
    invariant(isRowValue(value), () => `A row has no ${field}`);
    return value;
  });
}

export function isRowValue(value: unknown): value is RowValue {
  return value === null || typeof value === "string" || typeof value === "number";
}

/** The row as plain values for a statement. */
export function toValues(table: Table<AnyRow>, row: AnyRow): RowValue[] {
  const values: RowValue[] = [];
  for (const column of table.columns) {
    values.push(toValue(column, row[column.field], table));
  }
  return values;
}

function toValue({ field, type }: Column, value: unknown, table: Table<AnyRow>): RowValue {
  if (value === null) return null;
  if (type === "text" && typeof value === "string") return value;
  if (type === "int" && typeof value === "number" && Number.isSafeInteger(value)) return value;
  if (type === "bool" && typeof value === "boolean") return value ? 1 : 0;
  if (type === "json" && value !== undefined) return JSON.stringify(value);
  throw new InvariantError(`${table.name}.${field} cannot be ${String(value)}`);
}

/** Kept beside the rows, so that copying a row doesn't copy its seal. */
const seals = new WeakMap<object, string | null>();

/** The seal that a row was read with. */
export function sealRead(row: AnyRow): string | null {
  return seals.get(row) ?? null;
}

export function fromValues<Row extends AnyRow>(
  table: Table<Row>,
  values: readonly RowValue[],
): Row {
  const row: Record<string, unknown> = {};
  table.columns.forEach(({ field, type }, i) => {
    const value = values[i] ?? null;
    if (value === null) row[field] = null;
    else if (type === "bool") row[field] = value === 1;
    else if (type === "json") row[field] = JSON.parse(String(value));
    else row[field] = value;
  });
  const seal = values[table.columns.length];
  if (table.sealedColumns) seals.set(row, typeof seal === "string" ? seal : null);
  return row as Row;
}

/** A row that a statement returned as the text of a JSON array. */
export function rowFromJson<Row extends AnyRow>(table: Table<Row>, json: unknown): Row {
  return fromValues(table, JSON.parse(String(json)));
}

/** All rows of a table that a statement returned as one text of JSON arrays. */
export function rowsFromJson<Row extends AnyRow>(table: Table<Row>, json: unknown): Row[] {
  const rows: RowValue[][] = JSON.parse(String(json));
  return rows.map((values) => fromValues(table, values));
}

export function columnList(table: Table<AnyRow>, alias?: string): string {
  return table.stored.map((column) => alias ? `${alias}.${column.name}` : column.name).join(", ");
}

export function columnName(table: Table<AnyRow>, field: string): string {
  const column = table.columns.find((candidate) => candidate.field === field);
  invariant(column, `${table.name} has no field ${field}`);
  return column.name;
}

function snakeCase(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
