import type { Deps } from "../../src/deps/deps.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import { createLog, type Line } from "../../src/base/log.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { serve, type Serving } from "../../src/app/serve.ts";
import { createFollowers } from "../../src/following/workers/follow_chains.ts";
import type { Anvil } from "./nodes/anvil.ts";
import { apiClient } from "./api_client.ts";
import { type Contract, deploy } from "./nodes/contracts.ts";
import { makePlace, type Place } from "./database/database.ts";
import { lastingPort, onceFree } from "./programs/ports.ts";
import {
  enable,
  makeMerchant,
  makeNetwork,
  makeToken,
  type Merchant,
  testConfig,
  type TestNetwork,
} from "./gateway.ts";

/** A served gateway, a chain that it follows, and a merchant who may use its coin. */
export interface BareWorld extends AsyncDisposable {
  readonly deps: Deps;
  readonly url: string;
  /** The URL of its current database. */
  readonly place: Pick<Place, "env">;
  readonly merchant: WorldMerchant;
  addMerchant(name: string): Promise<WorldMerchant>;
  /** For a world whose worker is off: runs one round with a clock this far ahead. */
  round(options?: { aheadMs?: number }): Promise<void>;
  /** The faults of failed rounds so far. */
  readonly faults: readonly string[];
  /**
   * Stops the gateway, does this, and serves the same database, or the one it returns, on the same
   * port.
   */
  restart(whileDown?: () => Promise<Place | void>): Promise<void>;
}

/** The same with an EVM chain that it follows as ETH. */
export interface World extends BareWorld {
  readonly anvil: Anvil;
  /** A token with six decimals, as USDT, enabled for the merchant. */
  addToken(): Promise<Contract>;
}

export interface WorldMerchant extends Merchant {
  readonly hotWallet: string;
}

export interface WorldOptions {
  readonly anvil: Anvil;
  readonly rpcUrls?: readonly string[];
  readonly minConfirmations?: number;
  readonly env?: Env;
}

const POLL_INTERVAL_MS = 50;
const NOT_FOLLOWED = "network is not followed";

export async function startWorld(
  { anvil, rpcUrls = [anvil.url], minConfirmations = 3, env = {} }: WorldOptions,
): Promise<World> {
  const network = { code: "ETH", symbol: "ETH", rpcUrls, minConfirmations };
  const world = await startBareWorld({ network, env });
  const addToken = async () => {
    const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
    await makeToken(world.deps, { network: "ETH", contract: token.address });
    const { accountId } = world.merchant;
    await enable(world.deps, { accountId, network: "ETH", currency: "USDT" });
    return token;
  };
  return Object.create(world, { anvil: { value: anvil }, addToken: { value: addToken } });
}

interface BareWorldOptions {
  readonly network: TestNetwork & { readonly code: string; readonly symbol: string };
  readonly env?: Env;
}

export async function startBareWorld(
  { network, env = {} }: BareWorldOptions,
): Promise<BareWorld> {
  const place = await makePlace({ isMigrated: true });
  const movedTo: Place[] = [];
  const start = (port: string) => {
    const config = testConfig({
      ...place.env,
      CPG_PORT: port,
      CPG_LOG_LEVEL: "silent",
      ...env,
      ...movedTo.at(-1)?.env,
    });
    return onceFree(() => serve(config));
  };
  let serving = await start(String(lastingPort()));
  const { url } = serving;
  let worker = handWorker(serving);
  const faults: string[] = [];
  const deps = () => serving.gateway.deps;
  await makeNetwork(deps(), { pollIntervalMs: POLL_INTERVAL_MS, ...network });

  async function addMerchant(name: string): Promise<WorldMerchant> {
    const made = await makeMerchant({ deps: deps(), url }, { name });
    const { accountId } = made;
    const asset = { network: network.code, currency: network.symbol };
    const hotWallet = await enable(deps(), { accountId, ...asset });
    return { ...made, hotWallet, api: apiClient(url, made.credentials) };
  }

  const merchant = await addMerchant("Acme");
  return {
    url,
    get place() {
      return movedTo.at(-1) ?? place;
    },
    merchant,
    faults,
    get deps() {
      return deps();
    },
    addMerchant,
    round: async ({ aheadMs = 0 } = {}) => void faults.push(...await worker.round(aheadMs)),
    restart: async (whileDown) => {
      await serving.stop();
      const place = await whileDown?.();
      if (place) movedTo.push(place);
      serving = await start(new URL(url).port);
      worker = handWorker(serving);
    },
    [Symbol.asyncDispose]: async () => {
      await serving.stop();
      for (const each of [place, ...movedTo]) await each.remove();
    },
  };
}

/** The gateway's rounds, one at a time, when the test says so. */
export function handWorker({ gateway: { deps } }: Serving) {
  let aheadMs = 0;
  let rounds = 0;
  let faults: string[] = [];
  const clock = { nowMs: () => Date.now() + aheadMs + rounds * 2 * POLL_INTERVAL_MS };
  const write = (line: Line) => {
    const text = line();
    const { level, message } = JSON.parse(text);
    if (level === "error" || message === NOT_FOLLOWED) faults.push(text);
  };
  const log = createLog({ level: "warn", clock, write });
  const followers = createFollowers({ ...deps, clock, log }, createGatewayMetrics());
  const { signal } = new AbortController();
  return {
    round: async (ahead: number): Promise<string[]> => {
      aheadMs = Math.max(aheadMs, ahead);
      rounds++;
      faults = [];
      await followers.run(signal);
      await followers.idle();
      return faults;
    },
  };
}
