import { endChild } from "../../../src/base/end_child.ts";
import { toolPath } from "../programs/tools.ts";

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
export type Reply = any;

/** A real node on loopback, with a chain of its own. */
export interface Anvil extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Unlocked, with 10,000 coins each. */
  readonly accounts: readonly string[];
  rpc(method: string, params?: readonly unknown[]): Promise<Reply>;
  mine(blocks: number): Promise<void>;
  /** Runs `work` and then puts the chain back to where it was, with an empty pool. */
  isolated(work: () => Promise<void>): Promise<void>;
  /** Saves the state where `--state` was given, and waits until the process is gone. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface AnvilOptions {
  readonly args?: readonly string[];
  /** How many it has. To make ten takes as long as everything else at its start. */
  readonly accounts?: number;
  /** For a restart on the same URL; a free one otherwise. */
  readonly port?: number;
  readonly statePath?: string;
  /** Whose rules it has: Amsterdam's are those of another node, without traces and reorganisations. */
  readonly rules?: "today" | "amsterdam";
}

const SENDS = ["eth_sendTransaction", "eth_sendRawTransaction"];
/** What a gateway sent just before would otherwise be in another block, or in none. */
const AFTER_MINING = [
  ...["anvil_mine", "anvil_reorg", "anvil_rollback"],
  ...["eth_blockNumber", "eth_getTransactionCount", "eth_getBalance", "eth_getCode"],
];
const CHANGES_MINING = /mining|automine|reset/i;
const LOOKS_MAX = 500;
const ACCOUNTS = 3;

export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  // Old states go to disk, gigabytes of them, and stay there when it is killed.
  const cachePath = await Deno.makeTempDir({ prefix: "cpg-anvil-" });
  const { command, args } = await PROGRAMS[options.rules ?? "today"]();
  const child = new Deno.Command(command, {
    args: [...args, ...argsOf(options), "--cache-path", cachePath],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  const address = await listeningAddress(lines);
  const url = `http://${address}`;
  const mining = watchMining(url);
  const rpc = async (method: string, params: readonly unknown[] = []) => {
    if (AFTER_MINING.includes(method)) await mining.settled();
    const work = () => askNode(url, { method, params });
    const reply = await (CHANGES_MINING.test(method) ? mining.changedBy(work) : work());
    if (SENDS.includes(method)) await mining.settled();
    return reply;
  };
  const endBy = async (signal: Deno.Signal) => {
    await endChild(child, signal);
    await Deno.remove(cachePath, { recursive: true }).catch(ignoreMissing);
  };
  const stop = () => endBy("SIGTERM");
  return {
    url,
    port: Number(address.split(":")[1]),
    accounts: await rpc("eth_accounts"),
    rpc,
    mine: (blocks) => rpc("anvil_mine", [`0x${blocks.toString(16)}`]),
    isolated: async (work) => {
      const snapshot = await rpc("evm_snapshot");
      try {
        await work();
      } finally {
        // Or what was sent last would be mined after it.
        await mining.settled();
        await rpc("evm_revert", [snapshot]);
        await rpc("anvil_dropAllTransactions");
      }
    },
    stop,
    kill: () => endBy("SIGKILL"),
    [Symbol.asyncDispose]: stop,
  };
}

const EDR = new URL("edr_server.ts", import.meta.url).pathname;
const PROGRAMS = {
  today: async () => ({ command: await toolPath("anvil"), args: [] as string[] }),
  amsterdam: () =>
    Promise.resolve({ command: Deno.execPath(), args: ["run", "-A", "--no-check", EDR] }),
};

interface Mining {
  /**
   * A node that mines by itself answers before it has mined, so a read right after it finds nothing.
   * And a block being mined while others are undone would end up on the wrong parent, as on no real
   * chain.
   */
  settled(): Promise<void>;
  changedBy<T>(work: () => Promise<T>): Promise<T>;
}

/** Asks the node only once whether it mines by itself, until that is changed. */
function watchMining(url: string): Mining {
  const ask = (method: string) => askNode(url, { method, params: [] });
  let changes = 0;
  let known: boolean | undefined;
  const isAutomatic = async () => {
    if (known !== undefined) return known;
    const before = changes;
    const answer: boolean = await ask("anvil_getAutomine");
    if (changes === before) known = answer;
    return answer;
  };
  const change = () => {
    changes++;
    known = undefined;
  };
  return {
    settled: async () => {
      if (!await isAutomatic()) return;
      for (let looks = 0; looks < LOOKS_MAX; looks++) {
        if (Number((await ask("txpool_status")).pending) === 0) return;
      }
    },
    changedBy: async (work) => {
      change();
      try {
        return await work();
      } finally {
        change();
      }
    },
  };
}

export async function askNode(
  url: string,
  call: { method: string; params: readonly unknown[] },
): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
  });
  const reply = await response.json();
  if (reply.error) throw new Error(`${call.method}: ${JSON.stringify(reply.error)}`);
  return reply.result;
}

function argsOf(
  { args = [], accounts = ACCOUNTS, port = 0, statePath }: AnvilOptions,
): string[] {
  const state = statePath === undefined ? [] : ["--state", statePath];
  const own = ["--host", "127.0.0.1", "--port", String(port), "--accounts", String(accounts)];
  return [...own, ...state, ...args];
}

/** Reads on in the background, or the pipe would fill up and stop the node. */
async function listeningAddress(lines: ReadableStream<string>): Promise<string> {
  let text = "";
  const reader = lines.getReader();
  while (true) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`anvil did not start: ${text.slice(-500)}`);
    text += value;
    const address = /Listening on (\S+)/.exec(text)?.[1];
    if (address === undefined) continue;
    reader.releaseLock();
    lines.pipeTo(new WritableStream()).catch(() => {});
    return address;
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
