import type { Sample } from "./figure.ts";
import { TO } from "./hold_writer.ts";
import type { Installation } from "./installation.ts";
import { SERVE_PART, startLoad, startProgram } from "./processes.ts";

const CONNECTIONS = 64;
const SECONDS = 2;
const SERVER = new URL("hold_server.ts", import.meta.url).pathname;

interface PostedHolds extends AsyncDisposable {
  run(): Promise<Sample>;
}

/** A server of its own, and programs that ask it for withdrawals as fast as it answers. */
export async function postHolds({ env, key }: Installation): Promise<PostedHolds> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startProgram({ args: [...SERVE_PART, SERVER], env }));
  const load = stack.use(startLoad());
  const order = {
    port: server.port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    method: "POST",
    target: "/v1/withdrawals",
    key,
    body: JSON.stringify({
      network: "ETH",
      currency: "ETH",
      to_address: TO,
      amount: "1",
      client_reference: "#",
    }),
  } as const;
  const all = stack.move();
  return { run: () => load.run(order), [Symbol.asyncDispose]: () => all.disposeAsync() };
}
