import type { Clock } from "../../base/clock.ts";
import type { WalletNeed, WalletState } from "../chain.ts";
import { hexBytes, hexOf, quantity, safeNumber } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";
import {
  balanceCall,
  DECIMALS_CALL,
  NAME_CALL,
  readBalance,
  readDecimals,
  SYMBOL_CALL,
} from "./erc20.ts";
import { readTokenText, type TokenTexts } from "../token_text.ts";
import { isRevert } from "./error_classes.ts";
import type { Rpc, RpcCall } from "./rpc.ts";
import { resultOf, type RpcItem } from "../pool/json/rpc_reply.ts";
import { answersOfEach } from "../pool/asking/answers.ts";
import type { Newest } from "../pool/endpoints.ts";
import { RpcReplyError } from "../pool/node_errors.ts";

/** A node that has shown a block so lately still has it, so that its height isn't asked for again. */
const NEWEST_FOR_MS = 15_000;
/** Concurrent payments that were tried together are signed together. */
const SIGNED_WITHIN_MS = 1_000;
const REMEMBERED_MAX = 200;

interface Wallet {
  readonly address: string;
  readonly contracts: readonly string[];
}

/**
 * What was read of wallets in the body that tried their payments. Whoever signs counts everything
 * signed from the wallet's nonce on as still to be paid, so a state of any block is right, as long
 * as it is one block's.
 */
export class TriedWallets {
  readonly #clock: Clock;
  readonly #states = new Map<string, { readonly state: WalletState; readonly atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined if its height has to be asked for first. */
  heightOn(newest: Newest | undefined): number | undefined {
    const ageMs = newest ? this.#clock.nowMs() - newest.seenAtMs : Infinity;
    return ageMs >= 0 && ageMs < NEWEST_FOR_MS ? newest?.height : undefined;
  }

  note(address: string, state: WalletState): void {
    this.#states.delete(address);
    this.#states.set(address, { state, atMs: this.#clock.nowMs() });
    const [oldest] = this.#states.keys();
    if (oldest !== undefined && this.#states.size > REMEMBERED_MAX) this.#states.delete(oldest);
  }

  find({ address, contracts }: Wallet): WalletState | undefined {
    const found = this.#states.get(address);
    if (!found) return undefined;
    const ageMs = this.#clock.nowMs() - found.atMs;
    const isRecent = ageMs >= 0 && ageMs < SIGNED_WITHIN_MS;
    return isRecent && contracts.every((it) => found.state.tokensRaw.has(it))
      ? found.state
      : undefined;
  }
}

/**
 * All values are pinned to one height; otherwise only some of them would include a payment in
 * between.
 */
export async function readWalletState(
  endpoints: Endpoints,
  { tried, need: { height: least = 0, isForSigning = false } = {}, ...wallet }: Wallet & {
    tried: TriedWallets;
    need: WalletNeed | undefined;
  },
): Promise<WalletState> {
  const known = isForSigning ? tried.find(wallet) : undefined;
  if (known && known.height >= least) return known;
  return await endpoints.read(async (rpc, newest) => {
    const seen = isForSigning ? tried.heightOn(newest) : undefined;
    const height = seen !== undefined && seen >= least
      ? seen
      : safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
    return readState(await rpc.batch(stateCalls(wallet, height)), { ...wallet, height });
  }, least > 0 ? { height: least } : undefined);
}

export function stateCalls({ address, contracts }: Wallet, height: number): RpcCall[] {
  const at = hexOf(height);
  return [
    { method: "eth_getTransactionCount", params: [address, at] },
    { method: "eth_getBalance", params: [address, at] },
    { method: "eth_getCode", params: [address, at] },
    ...contracts.map((to) => ({
      method: "eth_call",
      params: [{ to, data: balanceCall(address) }, at],
    })),
  ];
}

/** Of `stateCalls`. */
export function readState(
  items: readonly RpcItem[],
  { contracts, height }: Pick<Wallet, "contracts"> & { height: number },
): WalletState {
  const [nonce, native, code, ...tokens] = items.map(resultOf);
  return {
    height,
    nonce: safeNumber(nonce, "a nonce"),
    nativeRaw: quantity(native, "a balance"),
    tokensRaw: new Map(contracts.map((it, i) => [it, readBalance(tokens[i], it)])),
    hasCode: hexBytes(code, "a wallet's code") !== "0x",
  };
}

/** Pools differ, and what only one of them has can still be mined, also after a long silence. */
export async function readPendingNonce(endpoints: Endpoints, address: string): Promise<number> {
  const answers = await endpoints.each(async (rpc) =>
    safeNumber(await rpc.call("eth_getTransactionCount", [address, "pending"]), "a nonce")
  );
  return Math.max(...answersOfEach(answers));
}

export async function readTokenDecimals(
  endpoints: Endpoints,
  contract: string,
): Promise<number | undefined> {
  return readDecimals(
    await endpoints.read((rpc) => answerOn(rpc, { contract, data: DECIMALS_CALL })),
  );
}

export async function readTokenTexts(
  endpoints: Endpoints,
  contract: string,
): Promise<TokenTexts | undefined> {
  return await endpoints.read(async (rpc) => {
    const [name, symbol] = await Promise.all(
      [NAME_CALL, SYMBOL_CALL].map(async (data) =>
        readTokenText(hexBytes(await answerOn(rpc, { contract, data }), "a token's name"))
      ),
    );
    return name && symbol ? { name, symbol } : undefined;
  });
}

async function answerOn(
  rpc: Rpc,
  { contract, data }: { contract: string; data: string },
): Promise<unknown> {
  try {
    return await rpc.call("eth_call", [{ to: contract, data }, "latest"]);
  } catch (error) {
    if (error instanceof RpcReplyError && isRevert(error)) return "0x";
    throw error;
  }
}
