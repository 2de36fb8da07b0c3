import type { Connection } from "./connection.ts";
import { selectByFields } from "./statements.ts";
import { fromValues, keyText, PRIMARY, type RowValue, type Table } from "./table.ts";

const KEYS_PER_READ_MAX = 500;

interface Asked {
  /** What the fields must hold. */
  readonly values: readonly RowValue[];
  /** The same as one text. */
  readonly text: string;
  resolve(rows: readonly object[]): void;
  reject(error: unknown): void;
}

interface Pending {
  readonly table: Table<object>;
  readonly fields: readonly string[];
  asked: Asked[];
}

/** Look-ups that arrive together are answered by one statement. */
export class CoalescedReads {
  readonly #pending = new Map<string, Pending>();
  #isScheduled = false;

  constructor(readonly connection: Connection) {}

  async find<Row extends object>(
    table: Table<Row>,
    values: readonly RowValue[],
    key = PRIMARY,
  ): Promise<Row | undefined> {
    const [row] = await this.#ask(table, { fields: table.keys[key]!, values });
    return row;
  }

  /** All rows that hold these values, in no order. */
  list<Row extends object>(table: Table<Row>, where: Partial<Row>): Promise<readonly Row[]> {
    const values = Object.values(where) as RowValue[];
    return this.#ask(table, { fields: Object.keys(where), values });
  }

  #ask<Row extends object>(
    table: Table<Row>,
    { fields, values }: { fields: readonly string[]; values: readonly RowValue[] },
  ): Promise<readonly Row[]> {
    const name = `${table.name} ${fields}`;
    const pending = this.#pending.get(name) ?? { table: table as Table<object>, fields, asked: [] };
    this.#pending.set(name, pending);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Row[]>();
    const text = keyText(values);
    pending.asked.push({ values, text, resolve: resolve as Asked["resolve"], reject });
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    }
    return promise;
  }

  #flush(): void {
    this.#isScheduled = false;
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { table, fields, asked } of all) {
      for (let at = 0; at < asked.length; at += KEYS_PER_READ_MAX) {
        const part = asked.slice(at, at + KEYS_PER_READ_MAX);
        this.#answer({ table, fields, asked: part }).catch((error) => {
          for (const one of part) one.reject(error);
        });
      }
    }
  }

  async #answer({ table, fields, asked }: Pending): Promise<void> {
    const values = [...new Map(asked.map((one) => [one.text, one.values])).values()];
    const [result] = await this.connection.batch(
      [selectByFields(table, { fields, values })],
      "read",
    );
    const rows = (JSON.parse(String(result!.rows[0]!.rows)) as RowValue[][])
      .map((stored) => fromValues(table, stored) as Record<string, unknown>);
    const found = Map.groupBy(
      rows,
      (row) => keyText(fields.map((field) => row[field] as RowValue)),
    );
    for (const { text, resolve } of asked) resolve(found.get(text) ?? []);
  }
}
