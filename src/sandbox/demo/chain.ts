import { first } from "../../base/lists.ts";
import { endChild, endInput } from "../../base/end_child.ts";
import { findToolBinary } from "../../base/tool_binary.ts";
import { KeyedTurns } from "../../base/waiting/batches.ts";
import { OperatorError } from "../../domain/refusal.ts";

/** A local EVM chain in its own process. */
export interface DemoChain {
  readonly rpcUrl: string;
  /** Unlocked and rich. */
  readonly payer: string;
  /** Resolves when the transaction is mined, which is at once until `tick` is called. */
  send(tx: DemoTx): Promise<DemoReceipt>;
  /** Resolves when the chain has taken the transaction. A later block has it. */
  pay(tx: DemoTx): Promise<void>;
  /** From now on a block every second, and only then. */
  tick(): Promise<void>;
  /** Resolves when the process is gone, whoever ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

interface DemoTx {
  readonly to?: string;
  readonly valueRaw?: bigint;
  readonly data?: string;
}

interface DemoReceipt {
  readonly contractAddress: string | null;
}

const VERSION = "1.7.1";
const BLOCK_TIME_S = 1;
export const DEMO_CHAIN_ID = 31337;
const SYSTEMS: Record<string, string> = { windows: "win32" };
const PROCESSORS: Record<string, string> = { x86_64: "amd64", aarch64: "arm64" };

export async function startDemoChain(
  { note }: { note: (line: string) => void },
): Promise<DemoChain> {
  const child = await startAnvil(note);
  const stop = () => stopNode(child);
  try {
    const rpcUrl = `http://${await listeningAddress(child.stdout)}`;
    const rpc = <T>(method: string, params: unknown[]) => askNode<T>(rpcUrl, { method, params });
    const payer = first(await rpc<string[]>("eth_accounts", []));
    const turns = new KeyedTurns();
    // The node may give two that it gets at the same moment one nonce, and refuses the second.
    const send = <T>(method: string, { to, valueRaw = 0n, data }: DemoTx) => {
      const value = `0x${valueRaw.toString(16)}`;
      return turns.run(payer, () => rpc<T>(method, [{ from: payer, to, value, data }]));
    };
    return {
      rpcUrl,
      payer,
      send: (tx) => send<DemoReceipt>("eth_sendTransactionSync", tx),
      pay: async (tx) => void await send("eth_sendTransaction", tx),
      tick: async () => void await rpc("evm_setIntervalMining", [BLOCK_TIME_S]),
      ended: child.status.then(() => {}),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const isUnix = Deno.build.os !== "windows";

/**
 * A shell runs the node until its own input ends, which happens however the demo ends, even if it is
 * killed. Ctrl-C reaches all of them, and is left to the demo.
 */
const WHILE_INPUT_LASTS = `trap '' INT
exec 3<&0
"$@" </dev/null 3<&- &
node=$!
(cat <&3 >/dev/null; kill "$node") &
watch=$!
wait "$node"
kill "$watch"`;

/** A node that ends with the demo. */
export function startWhileHere(path: string, args: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(isUnix ? "/bin/sh" : path, {
    args: isUnix ? ["-c", WHILE_INPUT_LASTS, "sh", path, ...args] : [...args],
    stdin: isUnix ? "piped" : "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
}

export function stopNode(child: Deno.ChildProcess): Promise<void> {
  return isUnix ? endInput(child) : endChild(child, "SIGTERM");
}

async function startAnvil(note: (line: string) => void) {
  try {
    const path = await anvilPath(note);
    const args = [
      ...["--host", "127.0.0.1", "--port", "0", "--chain-id", String(DEMO_CHAIN_ID)],
      // A demo that keeps running must not fill the disk with old states.
      ...["--max-persisted-states", "0"],
    ];
    note("Starting a local chain …");
    return startWhileHere(path, args);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new OperatorError(
      'The demo starts a local chain, which needs more permissions than the gateway has: use "deno task demo"',
      { cause: error },
    );
  }
}

async function anvilPath(note: (line: string) => void): Promise<string> {
  const { os, arch } = Deno.build;
  const path = await findToolBinary({
    package: `@foundry-rs/anvil-${SYSTEMS[os] ?? os}-${PROCESSORS[arch] ?? arch}`,
    version: VERSION,
    path: os === "windows" ? "bin/anvil.exe" : "bin/anvil",
    onDownload: (specifier) => note(`Downloading the local chain: ${specifier}`),
  });
  if (path !== undefined) return path;
  throw new OperatorError(
    "The demo needs anvil, a local EVM chain, and could not download it: install Foundry " +
      "(https://getfoundry.sh) so that anvil is on the PATH, or skip the demo and point " +
      '"network add" to any EVM node',
  );
}

/** Keeps reading in the background, or the pipe would fill up and stop the node. */
async function listeningAddress(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const lines = output.pipeThrough(new TextDecoderStream());
  const reader = lines.getReader();
  let text = "";
  while (true) {
    const { value, done } = await reader.read();
    if (done) throw new OperatorError(`The local chain did not start: ${text.slice(-300)}`);
    text += value;
    const address = /Listening on (\S+)/.exec(text)?.[1];
    if (address === undefined) continue;
    reader.releaseLock();
    lines.pipeTo(new WritableStream()).catch(() => {});
    return address;
  }
}

async function askNode<T>(
  url: string,
  call: { method: string; params: readonly unknown[] },
): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...call }),
  });
  const { result, error }: { result: T; error?: Error } = await response.json();
  if (error) throw new OperatorError(`The local chain refused ${call.method}: ${error.message}`);
  return result;
}
