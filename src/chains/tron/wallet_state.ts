import { at, first, zip } from "../../base/lists.ts";
import type { WalletNeed, WalletState } from "../chain.ts";
import type { Held, HeldAsked } from "../held.ts";
import { NodeError } from "../faults.ts";
import type { Endpoints } from "../pool/endpoints.ts";
import { hexOfAddress } from "./address.ts";
import { balancesOn } from "./balances_at.ts";
import type { History } from "./blocks/history.ts";
import type { TronNode } from "./node.ts";
import { newestOn } from "./refs.ts";
import type { TokenTexts } from "../token_text.ts";
import { decimalsOn, textsOn } from "./trc20.ts";

/** The balances of the newest block, without pending transactions. */
export async function readWalletState(
  endpoints: Endpoints<TronNode>,
  { address, contracts, history, need }: {
    address: string;
    contracts: readonly string[];
    history: History;
    need: WalletNeed | undefined;
  },
): Promise<WalletState> {
  const asked = [null, ...contracts].map((contract) => ({ address, contract }));
  return await endpoints.read(async (node) => {
    const block = await newestOn(node);
    const balances = await balancesOn(node, { block, asked, history });
    return {
      height: block.height,
      nonce: block.atMs,
      nativeRaw: first(balances),
      tokensRaw: new Map(zip(contracts, balances.slice(1))),
      hasCode: false,
    };
  }, need);
}

/** All of one block and from one node. A token that gives no answer leaves the others alone. */
export async function readHeld(
  endpoints: Endpoints<TronNode>,
  { asked, history }: { asked: readonly HeldAsked[]; history: History },
): Promise<readonly (Held | NodeError)[]> {
  if (asked.length === 0) return [];
  return await endpoints.read(async (node) => {
    const block = await newestOn(node);
    const contracts = [null, ...new Set(asked.flatMap((one) => one.contracts))];
    const balances = new Map<string, bigint | NodeError>();
    await Promise.all(contracts.map(async (contract) => {
      const owners = asked.filter((one) => contract === null || one.contracts.includes(contract));
      const slots = owners.map(({ address }) => ({ address, contract }));
      const found = await balancesOn(node, { block, asked: slots, history }).catch(asError);
      slots.forEach(({ address }, i) => {
        balances.set(`${contract}/${address}`, found instanceof NodeError ? found : at(found, i));
      });
    }));
    const failure = [...balances.values()].find((raw) => raw instanceof NodeError);
    if (failure && [...balances.values()].every((raw) => raw instanceof NodeError)) throw failure;
    return asked.map(({ address, contracts }) => {
      const raws = [null, ...contracts].map((contract) => balances.get(`${contract}/${address}`)!);
      const [native, ...tokens] = raws;
      const failed = raws.find((raw) => raw instanceof NodeError);
      if (failed instanceof NodeError) return failed;
      const tokensRaw = new Map(zip(contracts, tokens as bigint[]));
      return { height: block.height, atMs: block.atMs, nativeRaw: native as bigint, tokensRaw };
    });
  });
}

function asError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  throw error;
}

export async function readTokenDecimals(
  endpoints: Endpoints<TronNode>,
  contract: string,
): Promise<number | undefined> {
  return await endpoints.read((node) => decimalsOn(node, hexOfAddress(contract)));
}

export async function readTokenTexts(
  endpoints: Endpoints<TronNode>,
  contract: string,
): Promise<TokenTexts | undefined> {
  return await endpoints.read((node) => textsOn(node, hexOfAddress(contract)));
}
