import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import type { Litecoind } from "./nodes/litecoind.ts";
import { startLitecoinWorld } from "./litecoin_world.ts";
import type { BareWorld } from "./world.ts";

/** A gateway on a real node's chain, whose rounds are run by hand. */
export interface LitecoinWorld extends BareWorld {
  readonly node: Litecoind;
  /** Mines so many blocks, each read in a round of its own, and moves the clock past all waits. */
  turn(blocks?: number): Promise<void>;
  /** Blocks are read, and no time passes. */
  look(blocks?: number): Promise<void>;
}

const WAIT_MS = 700_000;

export async function startTurningWorld(
  { node, url = node.url, ...options }: {
    readonly node: Litecoind;
    /** Of what stands before the node. */
    readonly url?: string;
    readonly minConfirmations?: number;
  },
): Promise<LitecoinWorld> {
  const world = await startLitecoinWorld({ nodes: [{ ...node, url }], ...options });
  let aheadMs = 0;
  const pass = async (blocks: number, forMs: number) => {
    for (let i = 0; i < blocks; i++) {
      await node.mine(1);
      aheadMs += forMs;
      await world.round({ aheadMs });
    }
  };
  return Object.create(world, {
    node: { value: node },
    turn: { value: (blocks = 1) => pass(blocks, WAIT_MS) },
    look: { value: (blocks = 1) => pass(blocks, 0) },
  });
}

/** An address of the node's wallet, which is the merchant's own. */
export async function sweepToNode(
  { deps, node }: LitecoinWorld,
  { accountId }: { readonly accountId: number },
): Promise<string> {
  const address: string = await node.rpc("getnewaddress", ["", "bech32"], "payer");
  const order = { accountId, network: "LTC", address, isNow: true, actor: "test" };
  await setReceivingWallet(deps, order);
  return address;
}

/** In base units, what came to this address of the node's wallet, in blocks or not. */
export async function arrivedAt({ node }: LitecoinWorld, address: string): Promise<bigint> {
  const coins: number = await node.rpc("getreceivedbyaddress", [address, 0], "payer");
  return BigInt(Math.round(coins * 1e8));
}
