import { startSqld } from "../support/database/sqld.ts";
import { type Bench, type Figure, perSecond, type Sample } from "./figure.ts";
import type { HoldOrder } from "./hold_writer.ts";
import { type Installation, makeInstallation } from "./installation.ts";
import { startPostgres } from "./limits/postgres.ts";
import { postHolds } from "./post_holds.ts";
import { startHelper } from "./processes.ts";
import { singleCommits } from "./limits/single_commits.ts";

const SINGLE_COMMITS = 1_000;
const UNITS = 12_800;
/** A round takes the writer half a second. */
const WRITER_WARM_UPS = 6;
const REMOTE_COMMITS = 200;
const REMOTE_UNITS = 6_400;
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
    warmUps: WRITER_WARM_UPS,
    prepare: () => prepareWriter(64),
  },
  {
    name: "the writer alone, 256 units waiting",
    limit: LIMIT,
    unit: "holds/s",
    must: 13,
    beyond: 20,
    warmUps: WRITER_WARM_UPS,
    prepare: () => prepareWriter(256),
  },
  {
    name: "the writer alone beside PostgreSQL, 64 waiting",
    limit: "64 clients, SELECT … FOR UPDATE, fsync on",
    unit: "holds/s",
    must: 3,
    beyond: 6,
    prepare: prepareBesidePostgres,
  },
  {
    name: "remote holds on sqld, 64 waiting",
    limit: "interactive transactions on sqld",
    unit: "holds/s",
    must: 20,
    beyond: 30,
    prepare: prepareRemote,
  },
];

async function prepareRequests(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const installation = stack.use(await makeInstallation());
  const single = stack.use(await makeInstallation());
  const ours = stack.use(await postHolds(installation));
  const all = stack.move();
  return {
    limit: () => commitOneByOne(single),
    ours: () => ours.run(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Without HTTP: this many orders are always waiting. */
async function prepareWriter(waiting: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const single = stack.use(await makeInstallation());
  const ours = stack.use(startWriter(stack.use(await makeInstallation())));
  const all = stack.move();
  return {
    limit: () => commitOneByOne(single),
    ours: () => ours.hold({ waiting, count: UNITS }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function prepareBesidePostgres(): Promise<Bench | string> {
  const postgres = await startPostgres();
  if (typeof postgres === "string") return postgres;
  await using stack = new AsyncDisposableStack();
  stack.use(postgres);
  const ours = stack.use(startWriter(stack.use(await makeInstallation())));
  const all = stack.move();
  return {
    limit: () => postgres.holds(),
    ours: () => ours.hold({ waiting: 64, count: UNITS }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function prepareRemote(): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  // Commits without the gateway count as another program's writes, so they get their own server.
  const [own, other] = [stack.use(await startSqld()), stack.use(await startSqld())];
  const installation = stack.use(await makeInstallation({ databaseUrl: own.url }));
  const single = stack.use(await makeInstallation({ databaseUrl: other.url }));
  const ours = stack.use(startWriter(installation));
  const all = stack.move();
  return {
    limit: () => commitOneByOne(single, REMOTE_COMMITS),
    ours: () => ours.hold({ waiting: 64, count: REMOTE_UNITS }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Writer extends AsyncDisposable {
  hold(load: { waiting: number; count: number }): Promise<Sample>;
}

function startWriter({ env, key: { keyId }, accountId }: Installation): Writer {
  const helper = startHelper<HoldOrder, Sample>("hold_writer.ts", {
    ...env,
    CPG_LOG_LEVEL: "silent",
  });
  return {
    hold: (load) => helper.run({ accountId, keyId, ...load }),
    [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose](),
  };
}

async function commitOneByOne(
  { env, accountId, key }: Installation,
  count = SINGLE_COMMITS,
): Promise<Sample> {
  const order = { url: env.CPG_DATABASE_URL!, accountId, keyId: key.keyId, count };
  return { perSecond: await perSecond(count, () => singleCommits(order)) };
}
