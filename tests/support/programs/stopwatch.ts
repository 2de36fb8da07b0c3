const TICK_MS = 10;

interface Stopwatch extends Disposable {
  ms(): number;
}

/**
 * The time in which this program got to run. A test that says how long something takes means the
 * program, not a machine that is busy with others.
 */
export function startStopwatch(): Stopwatch {
  let [countedMs, lookedAtMs] = [0, performance.now()];
  const look = () => {
    const nowMs = performance.now();
    countedMs += Math.min(nowMs - lookedAtMs, 2 * TICK_MS);
    lookedAtMs = nowMs;
  };
  const timer = setInterval(look, TICK_MS);
  return {
    ms: () => {
      look();
      return countedMs;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
