import { createWithdrawal } from "../../src/actions/create_withdrawal.ts";
import { readConfig } from "../../src/config.ts";
import { openGateway } from "../../src/gateway.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { type Installation, makeInstallation } from "./installation.ts";
import { startLoad, startProgram } from "./processes.ts";
import { singleCommits } from "./single_commits.ts";

const CONNECTIONS = 64;
const SECONDS = 2;
const SINGLE_COMMITS = 1_000;
const UNITS = 12_800;
const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const SERVER = new URL("hold_server.ts", import.meta.url).pathname;
const LIMIT = 'one transaction("write") after the other';

export const HOLD_FIGURES: readonly Figure[] = [
  {
    name: "durable holds by signed POST /v1/withdrawals",
    limit: LIMIT,
    unit: "holds/s",
    must: 3.5,
    beyond: 6,
    p99MaxMs: 30,
    prepare: prepareRequests,
  },
  {
    name: "the writer alone, 64 units waiting",
    limit: LIMIT,
    unit: "holds/s",
    must: 9,
    beyond: 15,
    prepare: () => prepareWriter(64),
  },
  {
    name: "the writer alone, 256 units waiting",
    limit: LIMIT,
    unit: "holds/s",
    must: 13,
    beyond: 20,
    prepare: () => prepareWriter(256),
  },
];

async function prepareRequests(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await makeInstallation());
  const single = stack.use(await makeInstallation());
  const { env, key } = installation;
  const server = stack.use(await startProgram({ args: ["run", "-q", "-P=test", SERVER], env }));
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
  return {
    limit: () => commitOneByOne(single),
    ours: () => load.run(order),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Without HTTP: so many orders are always waiting. */
async function prepareWriter(waiting: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await makeInstallation());
  const single = stack.use(await makeInstallation());
  const config = readConfig({ ...installation.env, CPG_LOG_LEVEL: "silent" });
  const gateway = await openGateway(config);
  stack.defer(() => gateway.close());
  const { keyId } = installation.key;
  const caller = {
    accountId: installation.accountId,
    keyId,
    signature: "",
    signatureExpiresAtMs: 0,
  };
  let made = 0;
  const holdAll = async () => {
    const end = made + UNITS;
    const holdOn = async () => {
      while (made < end) {
        const clientReference = `r${made++}`;
        const order = { network: "ETH", currency: "ETH", toAddress: TO, amount: "1" };
        await createWithdrawal(gateway.deps, { caller, ...order, clientReference });
      }
    };
    await Promise.all(Array.from({ length: waiting }, holdOn));
  };
  const all = stack.move();
  return {
    limit: () => commitOneByOne(single),
    ours: async () => ({ perSecond: await perSecond(UNITS, holdAll) }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function commitOneByOne({ env, accountId, key }: Installation) {
  const order = { url: env.CPG_DATABASE_URL!, accountId, keyId: key.keyId };
  const work = () => singleCommits({ ...order, count: SINGLE_COMMITS });
  return { perSecond: await perSecond(SINGLE_COMMITS, work) };
}
