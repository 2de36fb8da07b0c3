import type { Bench, Figure } from "./figure.ts";
import { makeInstallation } from "./installation.ts";
import { SERVE, startLoad, startProgram } from "./processes.ts";

const CONNECTIONS = 64;
const SECONDS = 2;
const WARM_UPS = 3;
const BARE = new URL("limits/bare_server.ts", import.meta.url).pathname;

export const HTTP_FIGURES: readonly Figure[] = [
  {
    name: "signed GET /v1/_ping",
    limit: "bare Deno.serve, the same requests",
    unit: "requests/s",
    must: 0.28,
    beyond: 0.4,
    warmUps: WARM_UPS,
    prepare: () => prepare("/v1/_ping"),
  },
  {
    name: "signed GET /v1/balances",
    limit: "bare Deno.serve, the same requests",
    unit: "requests/s",
    must: 0.25,
    beyond: 0.35,
    p99MaxMs: 10,
    warmUps: WARM_UPS,
    prepare: () => prepare("/v1/balances"),
  },
];

/** The program as it is run, with its log in a file, against a server that only says hello to the same. */
async function prepare(target: string): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await makeInstallation());
  const bare = stack.use(await startProgram({ args: ["run", "-q", "-P=test", BARE] }));
  const { env, key } = installation;
  const gateway = stack.use(
    await startProgram({ args: SERVE, env }),
  );
  const load = stack.use(startLoad());
  const order = { connections: CONNECTIONS, seconds: SECONDS, method: "GET", target, key } as const;
  const all = stack.move();
  return {
    limit: () => load.run({ ...order, port: bare.port, isRepeated: true }),
    ours: () => load.run({ ...order, port: gateway.port }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
