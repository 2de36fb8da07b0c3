import { randomToken } from "../../base/bytes.ts";
import type { Deps } from "../../deps/deps.ts";
import { OperatorError } from "../../domain/refusal.ts";
import type { Beside, BesideNetwork } from "./beside.ts";
import { startWhileHere, stopNode } from "./chain.ts";
import { addDemoNetwork, bookStart, enableCoin } from "./networks.ts";

const CODE = "LTC";
const LITECOIND = "litecoind";
const DECIMALS = 8;
const FOLDER = "./data/demo-litecoin";
const WALLET = "payer";
/** A coinbase can be spent by the block after these. */
const BLOCKS_AT_START = 101;
const BLOCK_MS = 5_000;
/** A wallet with several coins needn't wait for its change. */
const COINS_AT_START = 4;
const COIN_LTC = 10;

const LITECOIN_CHAIN = {
  code: CODE,
  family: "bitcoin",
  name: "Local Litecoin",
  nativeSymbol: "LTC",
  nativeDecimals: DECIMALS,
  minConfirmations: 2,
  pollIntervalMs: 500,
  finality: "none",
  quorum: 1,
  traces: "auto",
  feeMax: "0.1",
  currencies: [{
    symbol: "LTC",
    name: "Litecoin",
    contractAddress: null,
    decimals: DECIMALS,
    minDepositAmount: "0.001",
    minWithdrawalAmount: "0.01",
    feeFlat: "0.0005",
    feePercent: "0",
  }],
} as const;

/** A Litecoin chain of one node, which has to be installed. */
export async function startDemoLitecoin(
  { note }: { note: (line: string) => void },
): Promise<Beside> {
  await mustBeInstalled();
  await removeFolder();
  await Deno.mkdir(FOLDER, { recursive: true });
  const login = { name: "demo", password: randomToken(16) };
  const host = `127.0.0.1:${freePort()}`;
  note("Starting a Litecoin node …");
  const child = startWhileHere(LITECOIND, argsOf({ host, ...login }));
  const rpc = rpcOf(host, login);
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = async () => {
    clearInterval(timer);
    await stopNode(child);
    await removeFolder();
  };
  try {
    await untilLoaded(child.stdout);
    await rpc("createwallet", [WALLET]);
    const payer = await rpc<string>("getnewaddress", []);
    const mine = (blocks: number) => rpc("generatetoaddress", [blocks, payer]);
    await mine(BLOCKS_AT_START);
    const url = `http://${login.name}:${login.password}@${host}`;
    return {
      code: CODE,
      flag: "--litecoin",
      prices: { LTC: "80" },
      setUp: async (deps, accountId) => {
        const made = await setUp(deps, { rpc, accountId, url, host, payer });
        timer = setInterval(() => void mine(1).catch(() => {}), BLOCK_MS);
        return made;
      },
      pay: async ({ address, raw }) => {
        await rpc("sendtoaddress", [address, coinsOf(raw)]);
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Rpc = <T>(method: string, params: readonly unknown[]) => Promise<T>;

async function setUp(
  deps: Deps,
  { rpc, accountId, url, host, payer }: {
    rpc: Rpc;
    accountId: number;
    url: string;
    host: string;
    payer: string;
  },
): Promise<BesideNetwork> {
  const { chainId } = await addDemoNetwork(deps, { network: LITECOIN_CHAIN, nodeUrl: url });
  const owned = { accountId, network: CODE };
  const hotWallet = await enableCoin(deps, { ...owned, coin: "LTC" });
  for (let i = 0; i < COINS_AT_START; i++) await rpc("sendtoaddress", [hotWallet, COIN_LTC]);
  await rpc("generatetoaddress", [2, payer]);
  const amount = String(COINS_AT_START * COIN_LTC);
  await bookStart(deps, { ...owned, currency: "LTC", amount });
  return {
    ...{ code: CODE, chainId, payer, hotWallet },
    what: "a Litecoin node",
    rpcUrl: `http://${host}`,
    currencies: [{ currency: "LTC", contract_address: null }],
    payout: {
      ...{ amount: "0.5", currency: "LTC" },
      hint: "A block comes every five seconds, and it is confirmed with two.",
    },
  };
}

function coinsOf(raw: bigint): string {
  const digits = raw.toString().padStart(DECIMALS + 1, "0");
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

function argsOf(
  { host, name, password }: { host: string; name: string; password: string },
): string[] {
  const { hostname, port } = new URL(`http://${host}`);
  return [
    ...[`-datadir=${FOLDER}`, "-regtest", "-server", "-printtoconsole", "-nodebuglogfile"],
    ...[`-rpcuser=${name}`, `-rpcpassword=${password}`, `-rpcport=${port}`],
    ...[`-rpcbind=${hostname}`, `-rpcallowip=${hostname}`],
    // It talks to nobody.
    ...["-listen=0", "-dnsseed=0", "-discover=0", "-upnp=0", "-connect=0"],
    ...["-mempoolreplacement=1", "-fallbackfee=0.0002", "-keypool=10"],
  ];
}

/** Throws if it isn't installed. */
async function mustBeInstalled(): Promise<void> {
  try {
    await new Deno.Command(LITECOIND, { args: ["-version"], stdout: "null" }).output();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new OperatorError(
      "The demo's Litecoin network needs litecoind on the PATH: on Debian and Ubuntu " +
        '"apt-get install litecoind", elsewhere https://litecoin.org has it; without --litecoin, ' +
        "the demo needs none",
    );
  }
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

async function removeFolder(): Promise<void> {
  try {
    await Deno.remove(FOLDER, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Keeps reading in the background, or the pipe would fill up and stop the node. */
async function untilLoaded(output: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const lines = output.pipeThrough(new TextDecoderStream());
  const reader = lines.getReader();
  let text = "";
  while (!text.includes("init message: Done loading")) {
    const { value, done } = await reader.read();
    if (done) throw new OperatorError(`The Litecoin node did not start: ${text.slice(-300)}`);
    text += value;
  }
  reader.releaseLock();
  lines.pipeTo(new WritableStream()).catch(() => {});
}

function rpcOf(host: string, { name, password }: { name: string; password: string }): Rpc {
  return async (method, params) => {
    const response = await fetch(`http://${host}`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${name}:${password}`)}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = await response.json();
    if (error) throw new OperatorError(`The Litecoin node refused ${method}: ${error.message}`);
    return result;
  };
}
