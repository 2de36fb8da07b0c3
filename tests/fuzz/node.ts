import { sleep } from "../../src/base/clock.ts";
import { cursorOf } from "../../src/books/find.ts";
import { recordAudit } from "../../src/books/records.ts";
import { NodeError } from "../../src/chains/faults.ts";
import { createChains } from "../../src/chains/registry.ts";
import { confirmDeposits } from "../../src/deposits/confirm.ts";
import { failVanishedDeposits } from "../../src/deposits/fail_vanished.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { followNetwork } from "../../src/following/follow_network.ts";
import { CursorMoved } from "../../src/following/record_movements.ts";
import { outputBook } from "../../src/outputs/book.ts";
import { Networks } from "../../src/networks/table.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { badAnswer } from "./bad_answers.ts";
import {
  type Course,
  type Finding,
  FINDINGS_MAX,
  type FuzzOptions,
  type FuzzReport,
  type Random,
  seededRandom,
  startCourse,
} from "./fuzz.ts";
import { isTooMuch, watchMemory } from "./memory.ts";
import { questionsTo } from "./node_questions.ts";
import type { Ground } from "../support/grounds/ground.ts";
import { GROUNDS } from "../support/grounds/scenario.ts";
import { allocate, balanceOf } from "../support/views.ts";
import { type BareWorld, startBareWorld } from "../support/world.ts";

const LIAR = "http://liar.test";
const TIMEOUT_MS = 300;
const QUESTIONS_BETWEEN = 40;
const TURNS_BETWEEN_CHECKS = 25;
const CATCH_UP_ROUNDS_MAX = 300;
/** Longer than an endpoint stays distrusted or out of use. */
const FORGIVEN_MS = 700_000;

/** Spoilt answers of nodes of both families: no crash, no false credit, and no standstill afterwards. */
export async function run(options: FuzzOptions): Promise<FuzzReport> {
  const findings: Finding[] = [];
  const note = (what: string, reproduction: string) => void findings.push({ what, reproduction });
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    note(`A rejection that nobody handled: ${event.reason?.stack}`, `--seed ${options.seed}`);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  const memory = watchMemory();
  const families = Object.values(GROUNDS);
  const share = {
    requests: options.requests / families.length,
    seconds: options.seconds / families.length,
  };
  let done = 0;
  for (const start of families) {
    await using ground = await start();
    const course = startCourse({ ...options, ...share });
    const fuzzer = await makeFuzzer(ground, { seed: options.seed, course, note });
    await using _world = fuzzer.world;
    for (let turn = 1; !course.isOver() && findings.length < FINDINGS_MAX; turn++) {
      await fuzzer.turn();
      if (turn % TURNS_BETWEEN_CHECKS === 0) await fuzzer.check();
      memory.look({ ...course, share: (done + course.done) / options.requests });
    }
    await fuzzer.check();
    done += course.done;
  }
  globalThis.removeEventListener("unhandledrejection", onRejection);
  const growth = memory.growthMib();
  if (growth && isTooMuch(growth)) {
    note(`${growth.heap} MiB more on the heap`, `--seed ${options.seed}`);
  }
  return { done, findings, notes: growth ? [`${growth.heap} MiB heap more than warm`] : [] };
}

interface Setting {
  readonly seed: number;
  readonly course: Course;
  note(what: string, reproduction: string): void;
}

/** Two endpoints, one of them lying: only what both say counts. Beside them, the liar alone. */
async function makeFuzzer<Its extends Ground>(ground: Its, { seed, course, note }: Setting) {
  const { code, coin, chainId, minConfirmations, rpcUrl } = ground;
  const network = { code, ...coin, chainId, minConfirmations, rpcUrls: [rpcUrl] };
  const world = await startBareWorld({ network, env: { CPG_WORKER: "false" } });
  const random = seededRandom(seed);
  const line = spoiltLine(rpcUrl, { random, course });
  let aheadMs = 0;
  const clock = { nowMs: () => Date.now() + aheadMs };
  const waiting = {
    clock,
    sleep: (ms: number, signal?: AbortSignal) => sleep(ms / 100, signal),
  };
  const outputs = outputBook(world.deps);
  const given = { fetch: line.fetch, timeoutMs: TIMEOUT_MS, waiting, outputs };
  const chains = createChains(given);
  const deps: Deps = { ...world.deps, clock, chains };
  await world.deps.db.write({
    reads: [read(Networks, [code])],
    decide: (view) => {
      view.update(Networks, view.find(Networks, [code])!, { rpcUrls: [LIAR, rpcUrl], quorum: 2 });
      const said = { action: "network.changed", detail: { before: null, after: null } } as const;
      recordAudit(view, { actor: "test", ...said, subject: code, nowMs: 0 });
    },
  });
  const row = (await world.deps.db.find(Networks, [code]))!;
  const alone = createChains(given).of({ ...row, rpcUrls: [LIAR], quorum: 1 });
  const books = await makeBooks(world, ground);

  async function attempt(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof NodeError || error instanceof CursorMoved) return;
      const stack = error instanceof Error ? error.stack : error;
      note(`${ground.coin.family} ${name}: ${stack}`, `--seed ${seed}, after\n${line.last()}`);
    }
  }

  async function round(): Promise<void> {
    aheadMs += 15_000;
    await attempt("followNetwork", () => followNetwork(deps, row));
    await attempt("confirmDeposits", () => confirmDeposits(deps, row));
    await attempt("failVanishedDeposits", () => failVanishedDeposits(deps, row));
  }

  return {
    world,
    turn: async () => {
      line.isSpoilt = true;
      if (random.chance(0.3)) await books.pay(random);
      await ground.mine(1 + random.below(3));
      for (let i = 0; i < 4; i++) await round();
      const asked = Array.from(
        { length: QUESTIONS_BETWEEN },
        () => random.pick(questionsTo(alone, ground)),
      );
      await Promise.all(asked.map(({ name, ask }) => attempt(name, ask)));
    },
    check: async () => {
      line.isSpoilt = false;
      aheadMs += FORGIVEN_MS;
      await ground.mine(minConfirmations);
      let rounds = 0;
      while (!await books.areSettled() && ++rounds < CATCH_UP_ROUNDS_MAX) await round();
      const wrong = await books.wrong();
      const { haltedReason, scanHeight } = await cursorOf(deps, row);
      if (wrong) note(`${code} at ${scanHeight}: ${wrong} ${haltedReason ?? ""}`, `--seed ${seed}`);
    },
  };
}

/** Compares the payments of the real chain with the gateway's books. */
async function makeBooks(world: BareWorld, ground: Ground) {
  const { api } = world.merchant;
  const asset = { network: ground.code, currency: ground.coin.symbol };
  const given = await Promise.all(
    [1, 2, 3].map((user) => allocate(api, { ...asset, user: `${user}` })),
  );
  const paid = new Map<string, bigint>();
  const unit = 10n ** BigInt(ground.coin.decimals);
  return {
    pay: async (random: Random) => {
      const raw = unit + BigInt(random.below(1_000));
      paid.set(await ground.pay(random.pick(given).address, raw), raw);
    },
    areSettled: async () => {
      const rows = await world.deps.db.query(
        "SELECT id FROM transactions WHERE status = 'confirmed'",
      );
      return rows.length >= paid.size;
    },
    wrong: async (): Promise<string | undefined> => {
      const rows = await world.deps.db.query("SELECT tx_hash, status FROM transactions");
      const foreign = rows.find((row) => !paid.has(String(row.tx_hash)));
      if (foreign) return `a deposit that the chain does not have, ${JSON.stringify(foreign)}`;
      if (rows.length !== paid.size) return `${rows.length} deposits of ${paid.size}`;
      const open = rows.find(({ status }) => status !== "confirmed");
      if (open) return `a deposit is ${JSON.stringify(open)}`;
      const sum = [...paid.values()].reduce((all, raw) => all + raw, 0n);
      const { balance } = await balanceOf(api, asset.currency);
      const [whole, part = ""] = balance.split(".");
      const raw = BigInt(whole! + part.padEnd(ground.coin.decimals, "0"));
      return raw === sum ? undefined : `the balance is ${raw}, and ${sum} was paid`;
    },
  };
}

/** One URL whose answers are those of the node, some of them spoilt. */
function spoiltLine(rpcUrl: string, { random, course }: { random: Random; course: Course }) {
  const reported: string[] = [];
  const line = {
    isSpoilt: false,
    last: () => reported.join("\n"),
    fetch: (async (url: string | URL | Request, init?: RequestInit) => {
      const text = String(url);
      if (!text.startsWith(LIAR)) return await fetch(url, init);
      const response = await fetch(`${rpcUrl}${text.slice(LIAR.length).replace(/^\/$/, "")}`, init);
      if (!line.isSpoilt || random.chance(0.4)) return response;
      course.step();
      const bad = badAnswer(random, await response.text());
      reported.push(
        `${String(init?.body).slice(0, 150)} → ${bad.status} ${bad.text.slice(0, 600)}`,
      );
      if (reported.length > 4) reported.shift();
      return await spoiltResponse(bad, init?.signal ?? undefined);
    }) as typeof fetch,
  };
  return line;
}

async function spoiltResponse(
  { status, text, isTorn, isSilent }: ReturnType<typeof badAnswer>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  if (isSilent) {
    await new Promise((_, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason))
    );
  }
  if (status === 204) return new Response(null, { status });
  if (!isTorn) return new Response(text, { status });
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.error(new TypeError("connection reset"));
    },
  });
  return new Response(body, { status });
}
