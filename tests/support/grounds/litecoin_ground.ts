import { present } from "../../../src/base/assert.ts";
import { addressOfScript } from "../../../src/chains/bitcoin/addresses.ts";
import { PRESETS } from "../../../src/chains/bitcoin/params.ts";
import { type Fault, startFaultProxy } from "../nodes/fault_proxy.ts";
import { type Litecoind, startLitecoind, WITHOUT_MWEB } from "../nodes/litecoind.ts";
import type { Ground, Sending } from "./ground.ts";

const SEND = "sendrawtransaction";
const PAYER = "payer";
/** A wallet that sends nothing by itself: what a test has nodes forget stays forgotten. */
const ARGS = ["-walletbroadcast=0", "-persistmempool=0", WITHOUT_MWEB];
/** Each block after the hundredth gives the payer a coin to pay with. */
const BLOCKS = 130;
/** Of these nobody here has a key. */
const STRANGER = "rltc1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpjt8zj4";
const RECEIVER = "rltc1qqgpqyqszqgpqyqszqgpqyqszqgpqyqszr0p8er";

export interface LitecoinGround extends Ground {
  /** A restart puts another in its place. */
  node(): Litecoind;
  /** Of a block on the best branch. */
  hashAt(height: number): Promise<string>;
  /** By address, what each has in blocks. */
  allCoins(addresses: readonly string[]): Promise<ReadonlyMap<string, bigint>>;
  /** What is not in a block yet. */
  mempool(): Promise<string[]>;
  /** A block of exactly these bytes. */
  mineOnly(...raws: string[]): Promise<void>;
  /** The txid, and what it spends. */
  decode(raw: string): Promise<{ readonly txid: string; readonly spends: readonly string[] }>;
  /** Of the newest blocks of this number; their transactions are in the mempool again. */
  undo(blocks: number): Promise<void>;
}

export async function startLitecoinGround(): Promise<LitecoinGround> {
  let node = await startLitecoind({ blocks: BLOCKS, args: ARGS });
  let minesBySelf = true;
  const sent: string[] = [];
  const raws = new Map<string, string>();
  const proxyTo = ({ url }: Litecoind) =>
    startFaultProxy(url, (method, params, body) => {
      if (method !== SEND) return "pass";
      sent.push(String(params[0]));
      return faultOf(ground.onSending(), body);
    });
  const faultOf = (sending: Sending, body: string): Fault => {
    if (sending === "lost") return { drop: "before" };
    if (sending === "reply_lost") return { drop: "after" };
    if (sending === "refused") {
      const error = { code: -26, message: "min relay fee not met" };
      const [{ id }] = JSON.parse(body);
      return { status: 200, body: JSON.stringify([{ id, result: null, error }]) };
    }
    return { edit: (reply) => minesBySelf && !reply.error ? mined(reply) : reply };
  };
  const mined = async <T>(reply: T): Promise<T> => {
    await mine(1);
    return reply;
  };
  let mines = 0;
  /** To another address each time, or a block that was undone would come again. */
  const another = () =>
    addressOfScript(`0014${String(++mines).padStart(40, "f")}`, PRESETS["LTC-REGTEST"])!;
  const mine = async (blocks: number): Promise<void> => {
    if (blocks > 0) await node.mine(blocks, another());
  };
  const proxy = await proxyTo(node);
  /** Its mempool is empty then. */
  const restart = async () => {
    // It writes down what it has, which it would otherwise do only when every connection is closed.
    await rpc("gettxoutsetinfo");
    await node.kill();
    const { folder, url } = node;
    node = await startLitecoind({ args: ARGS, folder, port: Number(new URL(url).port) });
  };
  const rpc: Litecoind["rpc"] = (...call) => node.rpc(...call);
  const customer: string = await rpc("getnewaddress", [], PAYER);
  const height = (): Promise<number> => rpc("getblockcount");
  const coins = (raw: bigint) =>
    `${raw / 100_000_000n}.${String(raw % 100_000_000n).padStart(8, "0")}`;
  const paid = async (to: string, raw: bigint) => {
    const hash: string = await node.pay(to, coins(raw));
    const { hex } = await rpc("gettransaction", [hash], PAYER);
    await rpc(SEND, [hex]);
    return hash;
  };
  /** Invalidates the newest blocks; their transactions are remembered here, and by no node. */
  const leave = async (depth: number) => {
    const top = await height();
    for (let at = top - depth + 1; at <= top; at++) {
      const { tx } = await rpc("getblock", [await hashAt(at), 2]);
      for (const { txid, hex } of tx.slice(1)) raws.set(txid, hex);
    }
    await node.invalidate(await hashAt(top - depth + 1));
    await restart();
  };
  const hashAt = (at: number): Promise<string> => rpc("getblockhash", [at]);
  let scanned: Promise<unknown> = Promise.resolve();
  const allCoins: LitecoinGround["allCoins"] = async (addresses) => {
    // The node looks for one at a time.
    const wanted = addresses.map((address) => `addr(${address})`);
    const asked = scanned.then(() => rpc("scantxoutset", ["start", wanted]));
    scanned = asked.catch(() => {});
    const found = new Map<string, bigint>();
    for (const { desc, amount } of (await asked).unspents) {
      const address = /\((\w+)\)/.exec(desc)?.[1] ?? "";
      found.set(address, (found.get(address) ?? 0n) + rawOf(amount));
    }
    return found;
  };
  const ground: LitecoinGround = {
    node: () => node,
    hashAt,
    mempool: () => rpc("getrawmempool"),
    mineOnly: (...raws) => rpc("generateblock", [another(), raws]),
    decode: async (raw) => {
      const { txid, vin } = await rpc("decoderawtransaction", [raw]);
      return { txid, spends: vin.map((one: Spent) => `${one.txid}:${one.vout}`) };
    },
    undo: async (blocks) => await node.invalidate(await hashAt(await height() - blocks + 1)),
    code: "LTC",
    coin: { family: "bitcoin", finality: "none", symbol: "LTC", decimals: 8 },
    chainId: "LTC-REGTEST",
    rpcUrl: proxy.url,
    startHeight: BLOCKS,
    minConfirmations: 3,
    stranger: STRANGER,
    receiver: RECEIVER,
    misspelled: [
      `${STRANGER.slice(0, -1)}q`,
      STRANGER.replace("rltc", "tltc"),
      ` ${STRANGER}`,
      `R${STRANGER.slice(1)}`,
    ],
    gasRaw: 0n,
    customer,
    endReason: "dropped",
    sent,
    onSending: () => "taken",
    mine,
    mineBySelf: (isOn) => Promise.resolve(void (minesBySelf = isOn)),
    pay: async (to, raw) => {
      const hash = await paid(to, raw);
      await mine(1);
      return hash;
    },
    give: async (address, raw) => {
      await paid(address, raw);
      await mine(1);
    },
    addToken: () => Promise.reject(new Error("There are no tokens on this chain")),
    allCoins,
    coinsOf: async (address) => (await allCoins([address])).get(address) ?? 0n,
    reorg: async (depth) => {
      await leave(depth);
      await mine(depth + 1);
    },
    reorgWith: async (depth, hash) => {
      await leave(depth);
      await rpc(SEND, [present(raws.get(hash), "It was kept")]);
      await mine(depth + 1);
    },
    mineAgain: async (hash) => {
      await rpc(SEND, [present(raws.get(hash), "A reorganisation took it away")]);
      await mine(1);
    },
    forget: restart,
    outlast: () => Promise.reject(new Error("An output waits until its key spends it")),
    countSentBy: async (address) => {
      const own = new Set<string>();
      let count = 0;
      for (let at = BLOCKS; at <= await height(); at++) {
        const { tx } = await rpc("getblock", [await hashAt(at), 2]);
        for (const { txid, vin, vout } of tx) {
          const isOwn = vin.some((one: Spent) => own.has(`${one.txid}:${one.vout}`));
          if (isOwn) count++;
          for (const { n, scriptPubKey: { addresses = [] } } of vout) {
            if (addresses.includes(address)) own.add(`${txid}:${n}`);
          }
        }
      }
      return count;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
  return ground;
}

interface Spent {
  readonly txid?: string;
  readonly vout?: number;
}

/** Of what a node writes as a number. */
function rawOf(coins: number): bigint {
  return BigInt(Math.round(coins * 1e8));
}
