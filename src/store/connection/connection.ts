export type SqlValue = string | number | boolean | null;
export type SqlRow = Record<string, SqlValue>;
export type Mode = "read" | "write";

/** A number goes as REAL: only into columns that are integers, or 1 would read "1.0". */
export type Bound = string | number | bigint | null;

export interface Statement {
  readonly sql: string;
  readonly args: Bound[];
  /** It answers exactly one row, whatever there is. */
  readonly isOneRow?: true;
}

export interface Answer {
  readonly rows: readonly SqlRow[];
}

/** Runs a few statements as one: all or nothing, and all of one state of the database. */
export interface Connection {
  batch(statements: readonly Statement[], mode: Mode): Promise<readonly Answer[]>;
}
