import type { CliHost } from "../host.ts";

const WIDTH = 30;

interface Progress {
  show(done: { blocks: number; of: number }): void;
  end(): void;
}

interface Tally {
  show(text: string): void;
  end(): void;
}

/** A line that overwrites itself, for work of unknown length; on a terminal only. */
export function createTally({ host, isQuiet }: { host: CliHost; isQuiet: boolean }): Tally {
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
  };
}

/** A progress bar that redraws itself; on a terminal only. */
export function createProgress({ host, isQuiet }: { host: CliHost; isQuiet: boolean }): Progress {
  if (isQuiet || !host.isTerminal) return { show: () => {}, end: () => {} };
  let isShown = false;
  return {
    show: ({ blocks, of }) => {
      isShown = true;
      const filled = Math.floor(WIDTH * blocks / of);
      const bar = "#".repeat(filled).padEnd(WIDTH, "-");
      host.writeError(`\r[${bar}] ${Math.floor(100 * blocks / of)}% of ${of} blocks`);
    },
    end: () => {
      if (isShown) host.writeError("\n");
    },
  };
}
