import { one } from "../../base/lists.ts";
import type { Connection } from "../connection/connection.ts";
import { selectByFields } from "./statements.ts";
import {
  type AnyRow,
  type KeyText,
  keyText,
  PRIMARY,
  rowsFromJson,
  type RowValue,
  type Table,
  valuesOf,
} from "../tables/table.ts";

const KEYS_PER_READ_MAX = 500;

/** Asked once, for one or many callers. */
interface Question {
  /** The values of the fields. */
  readonly values: readonly RowValue[];
  readonly answer: PromiseWithResolvers<readonly AnyRow[]>;
}

interface Pending {
  readonly table: Table<AnyRow>;
  readonly fields: readonly string[];
  /** By their values as one text. */
  readonly questions: Map<KeyText, Question>;
}

/** Look-ups that arrive together are answered by one statement. */
export class CoalescedReads {
  readonly #pending = new Map<string, Pending>();
  #isScheduled = false;

  constructor(readonly connection: Connection) {}

  async find<Row extends AnyRow>(
    table: Table<Row>,
    values: readonly RowValue[],
    key = PRIMARY,
  ): Promise<Row | undefined> {
    const [row] = await this.#ask(table, { fields: table.keys[key]!, values });
    return row;
  }

  /** All rows with these values, unordered. */
  list<Row extends AnyRow>(table: Table<Row>, where: Partial<Row>): Promise<readonly Row[]> {
    const fields = Object.keys(where);
    return this.#ask(table, { fields, values: valuesOf(where, fields) });
  }

  #ask<Row extends AnyRow>(
    table: Table<Row>,
    { fields, values }: { fields: readonly string[]; values: readonly RowValue[] },
  ): Promise<readonly Row[]> {
    const { questions } = this.#pending.getOrInsertComputed(
      `${table.name} ${fields}`,
      () => ({ table: table, fields, questions: new Map() }),
    );
    const question = questions.getOrInsertComputed(
      keyText(values),
      () => ({ values, answer: Promise.withResolvers() }),
    );
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#flush());
    }
    return question.answer.promise as Promise<readonly Row[]>;
  }

  #flush(): void {
    this.#isScheduled = false;
    const all = [...this.#pending.values()];
    this.#pending.clear();
    for (const { table, fields, questions } of all) {
      const asked = [...questions];
      for (let at = 0; at < asked.length; at += KEYS_PER_READ_MAX) {
        const part = new Map(asked.slice(at, at + KEYS_PER_READ_MAX));
        this.#answer({ table, fields, questions: part }).catch((error) => {
          for (const { answer } of part.values()) answer.reject(error);
        });
      }
    }
  }

  async #answer({ table, fields, questions }: Pending): Promise<void> {
    const values = Array.from(questions.values(), (question) => question.values);
    const results = await this.connection.batch(
      [selectByFields(table, { fields, values })],
      "read",
    );
    const rows = rowsFromJson(table, one(one(results).rows).rows);
    const found = Map.groupBy(
      rows,
      (row) => keyText(valuesOf(row, fields)),
    );
    for (const [text, { answer }] of questions) answer.resolve(found.get(text) ?? []);
  }
}
