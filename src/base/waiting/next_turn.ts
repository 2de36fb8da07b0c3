/**
 * Lets the event loop do what has come meanwhile. Reading a file takes no turn of it, however much
 * is read.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
