import { takeServeLock } from "../store/serve_lock.ts";
import { command, type Context } from "./command.ts";
import { DEMO_CHAIN_ID, type DemoChain, startDemoChain } from "./demo_chain.ts";
import { renderGuide } from "./demo_guide.ts";
import { type DemoSetup, setUpDemo } from "./demo_setup.ts";
import type { CliHost, Env } from "./host.ts";

const FOLDER = "./data/demo";
const DATABASE_URL = `file:${FOLDER}/cpg.db`;

export const DEMO_COMMAND = command({
  words: ["demo"],
  summary: "Everything at once on this machine: a chain, an account with money, a server",
  flags: {},
  examples: ["demo"],
  run: async (context) => {
    const { host } = context;
    const overrides = await freshDatabase(host.env);
    const stopped = host.untilStopped();
    const chain = await startDemoChain({ note: (line) => context.note(line) });
    const ended = Promise.race([stopped, chain.ended]);
    try {
      const setup = await Promise.race([prepare(host, { chain, overrides }), ended]);
      if (setup) await serveUntil(ended, { context, chain, overrides, setup });
    } finally {
      await chain.stop();
    }
    context.note("The demo has ended.");
  },
});

/** A database that the operator named is kept; the demo's own begins anew each time. */
async function freshDatabase(env: Env): Promise<Env> {
  const logLevel = { CPG_LOG_LEVEL: env.CPG_LOG_LEVEL || "warn" };
  if (env.CPG_DATABASE_URL) return logLevel;
  await Deno.mkdir(FOLDER, { recursive: true });
  // Refuses while another demo still works on it.
  (await takeServeLock(DATABASE_URL)).release();
  await Deno.remove(FOLDER, { recursive: true });
  await Deno.mkdir(FOLDER, { recursive: true });
  return { ...logLevel, CPG_DATABASE_URL: DATABASE_URL };
}

interface Demo {
  readonly chain: DemoChain;
  readonly overrides: Env;
}

async function prepare(host: CliHost, { chain, overrides }: Demo): Promise<DemoSetup> {
  const gateway = await host.open(overrides);
  try {
    return await setUpDemo(gateway.deps, chain);
  } finally {
    await gateway.close();
  }
}

async function serveUntil(
  ended: Promise<void>,
  { context, chain, overrides, setup }: Demo & { context: Context; setup: DemoSetup },
): Promise<void> {
  const server = await context.host.serve(overrides);
  try {
    const { keyId, secret, token } = setup;
    const { rpcUrl, payer } = chain;
    const databaseUrl = overrides.CPG_DATABASE_URL;
    const guide = { baseUrl: server.url, rpcUrl, keyId, secret, payer, token, databaseUrl };
    context.answer(demoShape(server.url, { chain, setup }), renderGuide(guide));
    await ended;
  } finally {
    await server.stop();
  }
}

function demoShape(baseUrl: string, { chain, setup }: { chain: DemoChain; setup: DemoSetup }) {
  return {
    base_url: baseUrl,
    rpc_url: chain.rpcUrl,
    account_id: setup.accountId,
    key_id: setup.keyId,
    secret: setup.secret,
    networks: [{
      code: setup.network,
      chain_id: String(DEMO_CHAIN_ID),
      currencies: [
        { currency: "ETH", contract_address: null },
        { currency: "USDT", contract_address: setup.token },
      ],
      hot_wallet: setup.hotWallet,
    }],
    payer: chain.payer,
  };
}
