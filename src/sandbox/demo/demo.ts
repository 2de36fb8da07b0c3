import { command, type Context } from "../../operations/command.ts";
import { optional, UsageError } from "../../operations/operation.ts";
import { DEMO_CHAIN_ID, type DemoChain, startDemoChain } from "./chain.ts";
import { freshDatabase } from "./database.ts";
import { renderGuide } from "./guide.ts";
import { DEMO_FAULT_RATE, type DemoLine, startDemoLine } from "./line.ts";
import { type DemoSetup, setUpDemo } from "./setup.ts";
import type { Beside, BesideNetwork } from "./beside.ts";
import { walletOf } from "./wallet.ts";
import type { Env } from "../../operations/host.ts";
import { untilEnded } from "../../operations/until_ended.ts";
import * as kind from "../../domain/kinds.ts";

const SEED_MAX = 999_999;

export const DEMO_COMMAND = command({
  words: ["demo"],
  here: "it starts programs",
  summary: "Runs everything on this machine: a local chain, an account with money, a server",
  isTask: true,
  flags: {
    faults: optional(kind.present, {
      help: "the chain's node fails now and then, to show how everything copes",
      example: "",
    }),
    seed: optional(kind.integer({ min: 0, max: SEED_MAX }), {
      help: "with --faults: the same seed gives the same faults",
      example: "7",
    }),
    tron: optional(kind.present, {
      help: "also a TRON network, of a simulated node",
      example: "",
    }),
    litecoin: optional(kind.present, {
      help: "also a Litecoin network, of litecoind, which has to be installed",
      example: "",
    }),
  },
  examples: ["demo", "demo --faults --seed 7", "demo --tron", "demo --litecoin"],
  run: async (context, { flags }) => {
    if (flags.seed !== undefined && !flags.faults) {
      throw new UsageError("--seed chooses the faults, so it needs --faults");
    }
    const seed = flags.faults ? flags.seed ?? randomSeed() : undefined;
    const { host } = context;
    const overrides = await freshDatabase(host, { isQuiet: seed !== undefined });
    const stopped = host.untilStopped();
    const note = (line: string) => context.note(line);
    const chain = await startDemoChain({ note });
    const ended = Promise.race([stopped, chain.ended]);
    try {
      await using line = await startDemoLine(chain.rpcUrl, { seed, note });
      await using tron = flags.tron ? await simulateTron() : undefined;
      await using litecoin = flags.litecoin ? await startLitecoin(note) : undefined;
      const beside = [tron, litecoin].filter((one) => one !== undefined);
      const demo = { chain, line, beside, overrides };
      const setup = await Promise.race([prepare(context, demo), ended]);
      if (setup) await serveUntil(ended, { context, ...demo, setup });
    } finally {
      await chain.stop();
    }
    context.note("The demo has ended.");
  },
});

/** No other program than this one even loads the node. */
async function simulateTron(): Promise<Beside> {
  const { startDemoTron } = await import("./tron.ts");
  return await startDemoTron();
}

async function startLitecoin(note: (line: string) => void): Promise<Beside> {
  const { startDemoLitecoin } = await import("./litecoin.ts");
  return await startDemoLitecoin({ note });
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! % (SEED_MAX + 1);
}

interface Demo {
  readonly chain: DemoChain;
  readonly line: DemoLine;
  readonly beside: readonly Beside[];
  readonly overrides: Env;
}

async function prepare(
  context: Context,
  { chain, line, beside, overrides }: Demo,
): Promise<DemoSetup> {
  const gateway = await context.host.open(overrides, { mayCreate: true });
  if (gateway.created) context.note(gateway.created);
  context.note("Setting up a merchant with money …");
  try {
    return await setUpDemo(gateway.deps, { chain, nodeUrl: line.url, beside });
  } finally {
    await gateway.close();
  }
}

async function serveUntil(
  ended: Promise<void>,
  { context, chain, line, beside, overrides, setup }: Demo & { context: Context; setup: DemoSetup },
): Promise<void> {
  const server = await context.host.serve(overrides, { demoWallet: walletOf(chain, beside) });
  try {
    const { keyId, secret, token } = setup;
    const others = { beside: setup.beside, flags: beside.map(({ flag }) => flag) };
    const { rpcUrl, payer } = chain;
    const databaseUrl = overrides.CPG_DATABASE_URL;
    const { seed } = line;
    const setUpUrl = await server.setUpUrl();
    const { merchant } = setup;
    const { dashboardUrl } = server;
    const facts = { baseUrl: server.url, setUpUrl, dashboardUrl, merchant, databaseUrl, seed };
    const pages = {
      invoice_url: server.url + setup.invoicePath,
      payment_link_url: server.url + setup.linkPath,
    };
    const guide = { ...facts, ...pages, rpcUrl, keyId, secret, payer, token, ...others };
    const faults = seed === undefined ? null : { seed, rate: DEMO_FAULT_RATE };
    const urls = { dashboard_url: dashboardUrl, set_up_url: setUpUrl, merchant };
    const shape = { ...demoShape(server.url, { chain, setup }), ...urls, ...pages, faults };
    context.answer(shape, () => renderGuide(guide));
    line.disturb();
    await untilEnded(server, ended);
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
    }, ...setup.beside.map(besideShape)],
    payer: chain.payer,
  };
}

function besideShape(its: BesideNetwork) {
  const { code, chainId, currencies, hotWallet, rpcUrl, payer } = its;
  return { code, chain_id: chainId, currencies, hot_wallet: hotWallet, rpc_url: rpcUrl, payer };
}
