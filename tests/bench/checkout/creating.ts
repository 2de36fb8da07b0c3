import type { Installation } from "../installation.ts";
import { startLoad, startProgram } from "../processes.ts";
import { ratioRow, type Round, type Row } from "../row.ts";
import { ETH } from "./fill_invoices.ts";

export const CREATED = {
  name: "an invoice with an address, beside 10,000 open ones",
  unit: "ms",
  limitIs: "a deposit address, in the same database",
  must: 1.3,
  isAtMost: true,
};
const CONNECTIONS = 64;
const SECONDS = 2;
const BODIES = {
  "/v1/invoices": { amount: "0.01", currency: "ETH", method: ETH, idempotency_key: "#" },
  "/v1/deposit-addresses": { ...ETH, idempotency_key: "#" },
};

export async function measureCreating(
  { env, key }: Installation,
  rounds: number,
): Promise<Row> {
  const args = ["run", "-q", "-P", "main.ts", "serve"];
  await using gateway = await startProgram({ args, env });
  await using load = startLoad();
  const post = async (target: keyof typeof BODIES) => {
    const limits = { port: gateway.port, connections: CONNECTIONS, seconds: SECONDS };
    const body = JSON.stringify(BODIES[target]);
    return 1_000 / (await load.run({ ...limits, method: "POST", target, body, key })).perSecond;
  };
  const measured: Round[] = [];
  for (let round = -1; round < rounds; round++) {
    const pair = { limit: await post("/v1/deposit-addresses"), ours: await post("/v1/invoices") };
    if (round >= 0) measured.push(pair);
  }
  return ratioRow(CREATED, measured);
}
