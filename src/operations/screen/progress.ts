import type { Tally } from "../operation.ts";
import type { CliHost } from "../host.ts";

const WIDTH = 30;
/** What is quicker needs no progress. */
const SHOWN_AFTER_MS = 2_000;
const DRAWN_EVERY_MS = 500;

interface Where {
  readonly host: CliHost;
  readonly isQuiet: boolean;
}

interface Progress {
  show(done: { blocks: number; of: number }): void;
  end(): void;
}

/** On a terminal only. */
export function createTally({ host, isQuiet }: Where): Tally {
  let shown = 0;
  return {
    show: (text) => {
      if (isQuiet || !host.isTerminal) return;
      host.writeError(`\r${text.padEnd(shown)}`);
      shown = text.length;
    },
    end: () => {
      if (shown > 0) host.writeError("\n");
      shown = 0;
    },
    erase: () => {
      if (shown > 0) host.writeError(`\r${" ".repeat(shown)}\r`);
      shown = 0;
    },
  };
}

/** A progress bar that redraws itself. */
export function createProgress(tally: Tally): Progress {
  return {
    show: ({ blocks, of }) => tally.show(barOf({ done: blocks, of, what: "blocks" })),
    end: tally.end,
  };
}

export function barOf({ done, of, what }: { done: number; of: number; what: string }): string {
  const part = of === 0 ? 1 : Math.min(1, done / of);
  const bar = "#".repeat(Math.floor(WIDTH * part)).padEnd(WIDTH, "-");
  return `[${bar}] ${Math.floor(100 * part)}% of ${of} ${what}`;
}

interface Stages {
  /** What is being done now. */
  next(text: string): void;
  /** What blocks this program is shown at once, because nothing can be shown meanwhile. */
  nextBlocking(text: string): void;
}

/** After two seconds, shows what a command is doing and for how long; on a terminal only. */
export async function showStages<T>(
  tally: Tally,
  work: (stages: Stages) => Promise<T>,
): Promise<T> {
  const startedAtMs = performance.now();
  let text = "";
  const draw = () => {
    const seconds = Math.floor((performance.now() - startedAtMs) / 1000);
    tally.show(seconds === 0 ? `${text} ...` : `${text} ... ${seconds} s`);
  };
  const timer = setInterval(() => {
    if (text !== "" && performance.now() - startedAtMs >= SHOWN_AFTER_MS) draw();
  }, DRAWN_EVERY_MS);
  try {
    return await work({
      next: (now) => void (text = now),
      nextBlocking: (now) => {
        text = now;
        draw();
      },
    });
  } finally {
    clearInterval(timer);
    tally.erase();
  }
}
