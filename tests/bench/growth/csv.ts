import { type Credentials, signedHeaders } from "../../support/api_client.ts";
import { TextLineStream } from "../lines.ts";
import { figureRow, type Row } from "../row.ts";
import { type Child, startChild } from "./child.ts";
import type { GrowthOrder, GrowthRows } from "./growth_rows.ts";
import { residentMb } from "./resident.ts";

const LINES_A_LOOK = 20_000;
const DECIMALS = 18;
const MEMORY = {
  name: "memory that a CSV of 10^6 ledger entries takes on top",
  unit: "MB",
  must: 50,
  isAtMost: true,
};
const DIFFERENCE = {
  name: "difference between that CSV's sums and the balance, to the last digit",
  unit: "10^-18",
  must: 0,
  isAtMost: true,
};

/** How much more is in memory while the ledger is streamed than before, and what it adds up to. */
export const LEDGER_CSV: GrowthRows = {
  names: [MEMORY.name, DIFFERENCE.name],
  measure: measureCsv,
};

interface Sums {
  readonly balance: bigint;
  readonly held: bigint;
}

async function* measureCsv({ large, names, rounds }: GrowthOrder): AsyncGenerator<Row> {
  const { env, key } = large.installation;
  const flags = ["--v8-flags=--expose-gc"];
  await using gateway = await startChild("serve_program.ts", { env, flags });
  const [grown, off]: [number[], number[]] = [[], []];
  // The first one is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    const before = Number(await gateway.ask());
    const { mostMb, sums } = await readLedger(gateway, key);
    const { balance, held } = await readBalance(gateway, key);
    if (round > 0) grown.push(mostMb - before);
    off.push(Math.abs(Number(sums.balance - balance)) + Math.abs(Number(sums.held - held)));
  }
  if (names.has(MEMORY.name)) yield figureRow(MEMORY, grown);
  if (names.has(DIFFERENCE.name)) yield figureRow(DIFFERENCE, [Math.max(...off)]);
}

function ask({ greeting }: Child, key: Credentials, { target, accept }: Record<string, string>) {
  const headers = { ...signedHeaders(key, { method: "GET", target: target! }), accept: accept! };
  return fetch(greeting + target, { headers });
}

async function readLedger(
  gateway: Child,
  key: Credentials,
): Promise<{ mostMb: number; sums: Sums }> {
  const { body } = await ask(gateway, key, { target: "/v1/ledger", accept: "text/csv" });
  const lines = body!.pipeThrough(new TextDecoderStream()).pipeThrough(new TextLineStream());
  let names: string[] | undefined;
  let [mostMb, count, balance, held] = [0, 0, 0n, 0n];
  for await (const line of lines) {
    const cells = line.trimEnd().split(",");
    if (!names) {
      names = cells;
      continue;
    }
    balance += units(cells[names.indexOf("amount")]!);
    held += units(cells[names.indexOf("held_amount")]!);
    if (count++ % LINES_A_LOOK === 0) mostMb = Math.max(mostMb, await residentMb(gateway.pid));
  }
  return { mostMb, sums: { balance, held } };
}

async function readBalance(gateway: Child, key: Credentials): Promise<Sums> {
  const target = "/v1/balances?network=ETH&currency=ETH";
  const reply = await ask(gateway, key, { target, accept: "application/json" });
  const [row] = (await reply.json()).data;
  return { balance: units(row.balance), held: units(row.held) };
}

/** An exact decimal as a whole number. */
function units(text: string): bigint {
  const [whole = "", part = ""] = text.split(".");
  return BigInt(whole + part.padEnd(DECIMALS, "0"));
}
