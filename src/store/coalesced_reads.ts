import type { Connection } from "./group_commit.ts";
import { selectByKeys } from "./statements.ts";
import { fromValues, PRIMARY, type RowValue, type Table } from "./table.ts";

const KEYS_PER_READ_MAX = 500;

interface Asked {
  readonly values: readonly RowValue[];
  resolve(row: object | undefined): void;
  reject(error: unknown): void;
}

interface Pending {
  readonly table: Table<object>;
  readonly key: string;
  asked: Asked[];
}

/** Look-ups by key that arrive together are answered by one statement. */
export class CoalescedReads {
  readonly #pending = new Map<string, Pending>();
  #isScheduled = false;

  constructor(readonly connection: Connection) {}

  find<Row extends object>(
    table: Table<Row>,
    values: readonly RowValue[],
    key = PRIMARY,
  ): Promise<Row | undefined> {
    const name = `${table.name} ${key}`;
    const pending = this.#pending.get(name) ?? { table: table as Table<object>, key, asked: [] };
    this.#pending.set(name, pending);
    return new Promise((resolve, reject) => {
      pending.asked.push({ values, resolve: resolve as Asked["resolve"], reject });
      if (this.#isScheduled) return;
      this.#isScheduled = true;
      setTimeout(() => this.#flush(), 0);
    });
  }

  #flush(): void {
    this.#isScheduled = false;
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { table, key, asked } of all) {
      for (let at = 0; at < asked.length; at += KEYS_PER_READ_MAX) {
        const part = asked.slice(at, at + KEYS_PER_READ_MAX);
        this.#answer({ table, key, asked: part }).catch((error) => {
          for (const one of part) one.reject(error);
        });
      }
    }
  }

  async #answer({ table, key, asked }: Pending): Promise<void> {
    const texts = asked.map((one) => JSON.stringify(one.values));
    const values = [...new Set(texts)].map((text) => JSON.parse(text) as RowValue[]);
    const [result] = await this.connection.batch([selectByKeys(table, { key, values })], "read");
    const found = new Map<string, object>();
    for (const stored of JSON.parse(String(result!.rows[0]!.rows)) as RowValue[][]) {
      const row = fromValues(table, stored);
      found.set(keyOf(table, row, key), row);
    }
    asked.forEach((one, i) => one.resolve(found.get(texts[i]!)));
  }
}

function keyOf(table: Table<object>, row: object, key: string): string {
  return JSON.stringify(table.keys[key]!.map((field) => (row as Record<string, unknown>)[field]));
}
