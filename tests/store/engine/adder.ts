/** A program that adds to an account without end and says each sum once it is committed. */
import { openDb } from "../../../src/store/engine/db.ts";
import { addition } from "../ledger.ts";

const ADDERS = 6;

const [url, accountId] = Deno.args as [string, string];
const db = await openDb({ url });
const encoder = new TextEncoder();

async function addForEver(): Promise<void> {
  while (true) {
    const sum = await db.write(addition(Number(accountId)));
    Deno.stdout.writeSync(encoder.encode(`${sum}\n`));
  }
}

await Promise.all(Array.from({ length: ADDERS }, addForEver));
