export type SqlValue = string | number | boolean | null;
export type SqlRow = Record<string, Exclude<SqlValue, boolean>>;
export function orNull<T>(value: SqlValue | undefined, make: (value: unknown) => T): T | null {
  return value === null ? null : make(value);
}

export type Mode = "read" | "write";

/** Numbers are bound as REAL, so only into integer columns; elsewhere 1 would read "1.0". */
export type Bound = string | number | bigint | null;

export interface Statement {
  readonly sql: string;
  readonly args: Bound[];
  /** It always returns exactly one row. */
  readonly isOneRow?: true;
}

export interface Answer {
  readonly rows: readonly SqlRow[];
}

/** Runs statements as one: all or nothing, on a single state of the database. */
export interface Connection {
  batch(statements: readonly Statement[], mode: Mode): Promise<readonly Answer[]>;
}

/** Its own batches may take long: migrations, and the deleting of old rows. */
export interface OpenConnection extends Connection {
  /** For the one who decides: nobody else's reads are in its way. */
  readonly writer: Connection;
  /** For those who only look. */
  readonly reads: Connection;
  close(): void;
}
