import { endChild } from "../../../src/base/end_child.ts";
import { eventually } from "../programs/eventually.ts";
import { lastingPort } from "../programs/ports.ts";

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
type Reply = any;

/** A real node on loopback, with a chain of its own and a wallet that makes payments. */
export interface Litecoind extends AsyncDisposable {
  /** With name and password. */
  readonly url: string;
  readonly folder: string;
  rpc(method: string, params?: readonly unknown[], wallet?: string): Promise<Reply>;
  /** Their hashes. Its wallet gets the coins, or this address. */
  mine(blocks: number, to?: string): Promise<string[]>;
  /** From its wallet; answers the txid. */
  pay(address: string, coins: number | string): Promise<string>;
  /** As if it had never seen this block, and those after it. */
  invalidate(hash: string): Promise<void>;
  reconsider(hash: string): Promise<void>;
  /** Until it knows the other's newest block. */
  connect(other: Litecoind): Promise<void>;
  cut(other: Litecoind): Promise<void>;
  /** Mines until blocks have an extension block, of which its wallet owns a part. */
  startMweb(): Promise<void>;
  /** Its folder stays for a node that goes on with it. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

interface LitecoindOptions {
  readonly args?: readonly string[];
  /** Of a node that was stopped. */
  readonly folder?: string;
  /** Where its callers know it. */
  readonly port?: number;
  /** Blocks mined at the start; with 101 its wallet can pay. */
  readonly blocks?: number;
}

/** It doesn't stop before every connection is closed, idle ones too. */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
const IDLE_SECONDS = 5;
const STOP_MS = 60_000;
/** Or it would make no blocks after the 431st before something moved into an extension block. */
export const WITHOUT_MWEB = "-vbparams=mweb:4000000000:4000000001";
const WALLET = "payer";
const [NAME, PASSWORD] = ["cpg-tests", "k3y-0f-litecoind"];
/** The first block with an extension block on this chain, which must move something into it. */
const MWEB_HEIGHT = 432;

export async function startLitecoind(options: LitecoindOptions = {}): Promise<Litecoind> {
  const folder = options.folder ?? await Deno.makeTempDir({ prefix: "cpg-litecoind-" });
  const [port, peerPort] = [options.port ?? lastingPort(), lastingPort()];
  const child = new Deno.Command("litecoind", {
    args: [...argsOf({ folder, port, peerPort }), ...options.args ?? []],
    stdout: "piped",
    stderr: "null",
  }).spawn();
  await untilLoaded(child.stdout.pipeThrough(new TextDecoderStream()));
  const host = `127.0.0.1:${port}`;
  const rpc: Litecoind["rpc"] = (method, params = [], wallet) =>
    askLitecoind(`http://${host}${wallet ? `/wallet/${wallet}` : ""}`, { method, params });
  const wallets = (await rpc("listwalletdir")).wallets.map(({ name }: Reply) => name);
  await rpc(wallets.includes(WALLET) ? "loadwallet" : "createwallet", [WALLET]);
  const own: string = await rpc("getnewaddress", [], WALLET);
  const peer = `127.0.0.1:${peerPort}`;
  const node: Litecoind = {
    url: `http://${NAME}:${PASSWORD}@${host}`,
    folder,
    rpc,
    mine: (blocks, to = own) => rpc("generatetoaddress", [blocks, to]),
    pay: (address, coins) => rpc("sendtoaddress", [address, coins], WALLET),
    invalidate: (hash) => rpc("invalidateblock", [hash]),
    reconsider: (hash) => rpc("reconsiderblock", [hash]),
    connect: async (other) => {
      await other.rpc("addnode", [peer, "onetry"]);
      const newest = () => Promise.all([node, other].map((one) => one.rpc("getbestblockhash")));
      await eventually(newest, { until: ([one, another]) => one === another });
    },
    cut: async (other) => {
      for (const { id } of await other.rpc("getpeerinfo")) {
        await other.rpc("disconnectnode", ["", id]);
      }
      const areApart = async () =>
        (await Promise.all([rpc("getpeerinfo"), other.rpc("getpeerinfo")])).flat().length === 0;
      await eventually(areApart, { until: (is) => is });
    },
    startMweb: async () => {
      const height: number = await rpc("getblockcount");
      await rpc("generatetoaddress", [MWEB_HEIGHT - 1 - height, own]);
      await rpc("sendtoaddress", [await rpc("getnewaddress", ["", "mweb"], WALLET), 10], WALLET);
      await rpc("generatetoaddress", [1, own]);
    },
    stop: () => endChild(child, "SIGTERM", { patienceMs: STOP_MS }),
    kill: () => endChild(child, "SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      await endChild(child, "SIGKILL");
      await Deno.remove(folder, { recursive: true }).catch(ignoreMissing);
    },
  };
  if (options.blocks) await node.mine(options.blocks);
  return node;
}

function argsOf(
  { folder, port, peerPort }: { folder: string; port: number; peerPort: number },
): string[] {
  return [
    ...[`-datadir=${folder}`, "-regtest", "-server", "-printtoconsole", "-nodebuglogfile"],
    // Without it, it refuses every replacement.
    "-mempoolreplacement=1",
    ...[`-rpcuser=${NAME}`, `-rpcpassword=${PASSWORD}`, `-rpcport=${port}`],
    ...["-rpcbind=127.0.0.1", "-rpcallowip=127.0.0.1"],
    ...[`-bind=127.0.0.1:${peerPort}`, "-listenonion=0", "-discover=0", "-dnsseed=0", "-upnp=0"],
    `-rpcservertimeout=${IDLE_SECONDS}`,
    ...["-fallbackfee=0.0002", "-keypool=10"],
  ];
}

async function askLitecoind(
  url: string,
  call: { method: string; params: readonly unknown[] },
): Promise<Reply> {
  const response = await fetch(url, {
    client,
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${NAME}:${PASSWORD}`)}` },
    body: JSON.stringify({ id: 1, ...call }),
  });
  const { result, error } = await response.json();
  if (error) throw new Error(`${call.method}: ${JSON.stringify(error)}`);
  return result;
}

/** Reads on in the background, or the pipe would fill up and stop the node. */
async function untilLoaded(lines: ReadableStream<string>): Promise<void> {
  let text = "";
  const reader = lines.getReader();
  while (!text.includes("init message: Done loading")) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`litecoind did not start: ${text.slice(-500)}`);
    text += value;
  }
  reader.releaseLock();
  lines.pipeTo(new WritableStream()).catch(() => {});
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
