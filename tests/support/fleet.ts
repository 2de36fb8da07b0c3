import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { allInstances, instancesAndLeases } from "../../src/upkeep/reads/instances.ts";
import type { Anvil } from "./nodes/anvil.ts";
import { apiClient, type ApiReply, signedHeaders } from "./api_client.ts";
import { type ChildGateway, startChildGateway } from "./programs/child_gateway.ts";
import type { Place } from "./database/database.ts";
import { enable, makeMerchant, makeNetwork, type Merchant } from "./gateway.ts";
import { ETHER, setBalance } from "./payers.ts";

export interface FleetMember extends ChildGateway {
  /** Its name in the database. */
  readonly instance: string;
}

/** Several gateways in processes of their own, one database, one chain, one merchant. */
export interface Fleet extends AsyncDisposable {
  readonly members: readonly FleetMember[];
  /** The operator's process beside them. */
  readonly deps: Deps;
  readonly merchant: Merchant & { readonly hotWallet: string };
  /** The instance that follows the chain, according to the database. */
  follower(): Promise<FleetMember | undefined>;
  /** Asks one after the other until one answers; 503 and silence mean the next. */
  call(method: string, target: string, body?: unknown): Promise<ApiReply>;
}

interface FleetOptions {
  readonly place: Place;
  readonly anvil: Anvil;
  readonly size: number;
  readonly rateLimit?: number;
  readonly adjusted?: string;
}

const ANSWER_WITHIN_MS = 4_000;
const ASKS_MAX = 600;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { place, anvil, size } = options;
  const office = await openGateway(readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = office;
  await makeNetwork(deps, { rpcUrls: [anvil.url], minConfirmations: 3, pollIntervalMs: 200 });
  const members: FleetMember[] = [];
  while (members.length < size) members.push(await startMember(place, deps));
  const rate = options.rateLimit === undefined ? {} : { rateLimit: options.rateLimit };
  const made = await makeMerchant({ deps, url: members[0]!.url }, rate);
  const asset = { accountId: made.accountId, network: "ETH", currency: "ETH" };
  const hotWallet = await enable(deps, asset);
  const amount = options.adjusted ?? "1000";
  await adjustBalance(deps, { ...asset, amount, note: "test", actor: "test" });
  await setBalance(anvil, hotWallet, 2000n * ETHER);
  await anvil.mine(1);
  let next = 0;
  const call: Fleet["call"] = async (method, target, body) => {
    for (let ask = 1; ask <= ASKS_MAX; ask++) {
      const { url } = members[next++ % members.length]!;
      const reply = await answerOf({ url, method, target, body, merchant: made });
      if (reply && reply.status !== 503) return reply;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`Nobody answers ${target}`);
  };
  return {
    members,
    deps,
    call,
    merchant: { ...made, hotWallet, api: roundRobin(call) },
    follower: async () => {
      const { leases } = await instancesAndLeases(deps.db);
      const lease = leases.find(({ job }) => job === "follow");
      return members.find(({ instance }) => instance === lease?.instance);
    },
    [Symbol.asyncDispose]: async () => {
      for (const member of members) await member.kill().catch(() => {});
      await office.close();
    },
  };
}

async function startMember(place: Place, deps: Deps): Promise<FleetMember> {
  const before = new Set((await allInstances(deps.db)).map(({ instance }) => instance));
  const child = await startChildGateway({ ...place.env, CPG_LOG_LEVEL: "error" });
  const joined = (await allInstances(deps.db)).filter(({ instance }) => !before.has(instance));
  assert.equal(joined.length, 1);
  return { ...child, instance: joined[0]!.instance };
}

function roundRobin(call: Fleet["call"]): ReturnType<typeof apiClient> {
  return {
    get: (target) => call("GET", target),
    post: (target, body) => call("POST", target, body),
    send: ({ method, target, body }) => call(method, target, body),
  };
}

/** Undefined: no answer, so nobody knows what was done. */
async function answerOf(
  { url, method, target, body, merchant }: {
    url: string;
    method: string;
    target: string;
    body: unknown;
    merchant: Merchant;
  },
): Promise<ApiReply | undefined> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const signed = { method, target, ...(text === undefined ? {} : { body: text }) };
  try {
    const reply = await fetch(`${url}${target}`, {
      method,
      headers: signedHeaders(merchant.credentials, signed),
      ...(text === undefined ? {} : { body: text }),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  } catch (error) {
    if (error instanceof TypeError || error instanceof DOMException) return undefined;
    throw error;
  }
}
