import { gasWalletOf } from "./reads/addresses.ts";
import { Addresses } from "./tables/addresses.ts";
import { findNetwork } from "../books/find.ts";
import { genuine } from "../books/tampered.ts";
import { familyOf } from "../chains/registry.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { makeWallet } from "./make.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** The operator's wallet for gas top-ups; created on first use, then always the same. */
export async function gasWallet(
  deps: Deps,
  { actor, ...order }: { network: string; actor: Actor },
): Promise<{ network: string; address: string }> {
  const network = await findNetwork(deps, order.network);
  if (familyOf(network.family).holdings === "outputs") {
    throw refuse("no_gas_wallets", { code: network.code });
  }
  const stored = await gasWalletOf(deps.db, network.code);
  if (stored) await genuine(deps, Addresses, [stored]);
  if (stored) return { network: network.code, address: stored.address };
  const plan = { network, accountId: null, purpose: "gas", actor } as const;
  return { network: network.code, address: (await makeWallet(deps, plan)).address };
}
