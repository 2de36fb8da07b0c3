/** How fast each page is with a million of everything that grows, beside a thousand: medians. */
import { measurePages } from "../support/page_speed.ts";

const speeds = await measurePages({ few: 1_000, many: 1_000_000, rounds: 15 });
for (const { page, fewMs, manyMs } of speeds) {
  say(`${page.padEnd(76)} ${fewMs.toFixed(1).padStart(7)} ms ${manyMs.toFixed(1).padStart(7)} ms`);
}

function say(text: string): void {
  // deno-lint-ignore no-console -- the report of this program
  console.log(text);
}
