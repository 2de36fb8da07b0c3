import type { WalletState } from "../chain.ts";
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
import type { Rpc } from "./rpc.ts";
import { answersOfAll } from "../pool/asking/answers.ts";
import type { Need } from "../pool/endpoints.ts";
import { RpcReplyError } from "../pool/node_errors.ts";

/**
 * All values are pinned to one height; otherwise only some of them would include a payment in
 * between.
 */
export async function readWalletState(
  endpoints: Endpoints,
  { address, contracts, need }: {
    address: string;
    contracts: readonly string[];
    need: Need | undefined;
  },
): Promise<WalletState> {
  return await endpoints.read(async (rpc) => {
    const height = safeNumber(await rpc.call("eth_blockNumber", []), "a block number");
    const at = hexOf(height);
    const [nonce, native, code, ...tokens] = await rpc.results([
      { method: "eth_getTransactionCount", params: [address, at] },
      { method: "eth_getBalance", params: [address, at] },
      { method: "eth_getCode", params: [address, at] },
      ...contracts.map((to) => ({
        method: "eth_call",
        params: [{ to, data: balanceCall(address) }, at],
      })),
    ]);
    return {
      height,
      nonce: safeNumber(nonce, "a nonce"),
      nativeRaw: quantity(native, "a balance"),
      tokensRaw: new Map(contracts.map((it, i) => [it, readBalance(tokens[i], it)])),
      hasCode: hexBytes(code, "a wallet's code") !== "0x",
    };
  }, need);
}

/** Pools differ, and what only one of them has can still be mined. */
export async function readPendingNonce(endpoints: Endpoints, address: string): Promise<number> {
  const answers = await endpoints.each(async (rpc) =>
    safeNumber(await rpc.call("eth_getTransactionCount", [address, "pending"]), "a nonce")
  );
  return Math.max(...answersOfAll(answers));
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
