/** All who wait during one turn of the event loop continue together in the next one. */
export class SharedTurn {
  #next: Promise<void> | undefined;

  next(): Promise<void> {
    return this.#next ??= new Promise((resolve) =>
      setImmediate(() => {
        this.#next = undefined;
        resolve();
      })
    );
  }
}
