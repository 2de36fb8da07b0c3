import { type Hex, parseTransaction, recoverTransactionAddress } from "viem";
import { keccak256, recoverAuthorizationAddress } from "viem/utils";
import type { EvmChain, EvmTransaction } from "./evm_chain.ts";
import type { Authorization } from "./evm_state.ts";
import { RpcError } from "./json_rpc.ts";

/** As callers name it, and as signed bytes have it. */
export type ListedAuthorization = Readonly<
  Record<"chainId" | "address" | "nonce" | "r" | "s" | "yParity", string | number>
>;

/** What signed bytes order. Who signed them is worked out once. */
export async function readRaw(raw: string, chain: EvmChain): Promise<EvmTransaction> {
  try {
    const tx = parseTransaction(raw as Hex);
    const { chainId } = chain;
    if (tx.chainId !== chainId) throw new Error("invalid chain id for signer");
    const from = await recoverTransactionAddress({
      serializedTransaction: raw as `0x02${string}`,
    });
    const priceRaw = tx.gasPrice ?? 0n;
    const listed = (tx.authorizationList ?? []) as readonly ListedAuthorization[];
    return {
      hash: keccak256(raw as Hex),
      chainId,
      from: from.toLowerCase(),
      to: tx.to?.toLowerCase() ?? null,
      nonce: tx.nonce ?? 0,
      valueRaw: tx.value ?? 0n,
      data: tx.data ?? "0x",
      gas: tx.gas ?? 0n,
      maxFeeRaw: tx.maxFeePerGas ?? priceRaw,
      tipRaw: tx.maxPriorityFeePerGas ?? priceRaw,
      authorizations: await authorizationsIn(listed, chain),
      signature: { r: tx.r ?? "0x0", s: tx.s ?? "0x0", yParity: tx.yParity ?? 0 },
    };
  } catch (error) {
    throw new RpcError(-32000, error instanceof Error ? error.message : "rlp: cannot be read");
  }
}

/** Those without a signer are passed over. */
export async function authorizationsIn(
  listed: readonly ListedAuthorization[],
  { authorities }: EvmChain,
): Promise<Authorization[]> {
  const all = await Promise.all(listed.map(async (one): Promise<Authorization[]> => {
    const [chainId, nonce, yParity] = [one.chainId, one.nonce, one.yParity].map(Number) as Three;
    const [address, r, s] = [one.address, one.r, one.s].map((text) =>
      String(text).toLowerCase()
    ) as [string, string, string];
    const key = [chainId, nonce, address, r, s, yParity].join();
    const authorization = {
      chainId,
      nonce,
      address: address as Hex,
      r: r as Hex,
      s: s as Hex,
      yParity,
    };
    const signer = authorities.getOrInsertComputed(
      key,
      () =>
        recoverAuthorizationAddress({ authorization }).then(
          (found) => found.toLowerCase(),
          () => "",
        ),
    );
    const authority = await signer;
    const signature = { r, s, yParity };
    return authority === "" ? [] : [{ authority, chainId, delegate: address, nonce, signature }];
  }));
  return all.flat();
}

type Three = [number, number, number];
