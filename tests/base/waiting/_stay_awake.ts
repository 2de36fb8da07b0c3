/** Otherwise a test ends as soon as nothing but a `Waits` is left to happen. */
export function stayAwake(): Disposable {
  const timer = setInterval(() => {}, 1_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
