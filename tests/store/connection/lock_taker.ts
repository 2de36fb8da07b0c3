/** Takes the serve lock of a database and obeys the test's orders. */
import { type ServeLock, takeServeLock } from "../../../src/store/connection/serve_lock.ts";

const encoder = new TextEncoder();
const say = (word: string) => Deno.stdout.writeSync(encoder.encode(`${word}\n`));
const collect = (globalThis as unknown as { gc(): void }).gc;

let lock: ServeLock | undefined = await takeServeLock(Deno.args[0]!);
say("taken");
for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const command = text.trim();
  if (command === "release") lock?.release();
  if (command === "take") lock = await takeServeLock(Deno.args[0]!);
  if (command === "collect") {
    for (let i = 0; i < 5; i++) {
      collect();
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
  }
  say(`${command} done`);
}
lock?.release();
