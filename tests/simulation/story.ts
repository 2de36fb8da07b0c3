import type { SimulatedTime } from "./time.ts";

const LINES_KEPT = 4_000;

/** What happened, for whoever reads why a seed failed. */
export class Story {
  readonly #time: SimulatedTime;
  readonly #lines: string[] = [];
  #last = "";
  #repeats = 0;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  tell(what: string): void {
    if (what === this.#last) return void this.#repeats++;
    if (this.#repeats > 0) this.#lines.push(`              … ${this.#repeats} times more`);
    this.#repeats = 0;
    this.#last = what;
    this.#lines.push(`${clockText(this.#time.elapsedMs)}  ${what}`);
    if (this.#lines.length > 2 * LINES_KEPT) this.#lines.splice(0, LINES_KEPT);
  }

  /** A line that a program logged. */
  log(who: string, line: string): void {
    const { time: _time, level, message, ...facts } = JSON.parse(line);
    this.tell(`${who} ${level}: ${message} ${JSON.stringify(facts).slice(0, 300)}`);
  }

  last(lines: number): readonly string[] {
    return this.#lines.slice(-lines);
  }
}

function clockText(ms: number): string {
  const s = Math.floor(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(s / 3600))}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}.${
    String(Math.floor(ms % 1000)).padStart(3, "0")
  }`;
}
