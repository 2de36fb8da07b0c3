/** The whole program. For each line on its input it collects garbage and reports its memory. */
import { readConfig } from "../../../src/app/config/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { TextLineStream } from "../lines.ts";
import { residentMb } from "./resident.ts";

const { url } = await serve(readConfig(Deno.env.toObject()));
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(url);
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
  .pipeThrough(new TextLineStream());
for await (const _ of lines) {
  (globalThis as unknown as { gc(): void }).gc();
  // deno-lint-ignore no-console -- the report of this program
  console.log(await residentMb(Deno.pid));
}
Deno.exit();
