/** Writes migrations/baseline.sql, after a migration was added: deno task baseline */
import { baselineText } from "./baseline_source.ts";

await Deno.writeTextFile(
  new URL("../migrations/baseline.sql", import.meta.url),
  await baselineText(),
);
