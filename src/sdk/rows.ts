/** The rows of a list, read page by page as they are needed. */
export class Rows<T> implements AsyncIterable<T> {
  readonly #pages: () => AsyncGenerator<readonly T[]>;

  constructor(pages: () => AsyncGenerator<readonly T[]>) {
    this.#pages = pages;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for await (const page of this.#pages()) yield* page;
  }

  /** All of them at once. */
  async all(): Promise<T[]> {
    const rows: T[] = [];
    for await (const page of this.#pages()) rows.push(...page);
    return rows;
  }
}
