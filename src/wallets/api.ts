import { z } from "zod";
import { genuine } from "../books/tampered.ts";
import { Refused } from "../domain/refusal.ts";
import { Addresses } from "./tables/addresses.ts";
import { hotWalletOf } from "./reads/addresses.ts";
import { accountOf } from "../http/caller.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { ok } from "../http/reply.ts";
import { queryOf } from "../http/request_state.ts";
import * as wire from "../domain/wire.ts";

const HotWallet = z.object({
  network: wire.Network,
  address: z.string().meta({
    description: "Send coins and tokens for payouts here. It never changes.",
  }),
}).meta({ id: "HotWallet" });

/** Spec 4.9 */
export const readHotWalletAddress: Endpoint = {
  method: "GET",
  path: "/v1/hot-wallet-address",
  operationId: "readHotWalletAddress",
  permission: "request_withdrawal_funding_address",
  tag: "Withdrawals",
  summary: "Read the hot wallet's address",
  description:
    "The wallet that pays the account's withdrawals on a network. It needs the currency that is paid out, and the network's own coin for gas.",
  query: z.object({ network: wire.Network }),
  data: HotWallet,
  refusals: ["validation_failed", "network_not_found", "hot_wallet_not_allocated"],
  example: {
    query: { network: "ETH" },
    data: { network: "ETH", address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" },
  },
  handle: (deps) => async (c) => {
    const code = queryOf(c.env.state.target).get("network");
    if (code === null) {
      throw new Refused("validation_failed", {
        fields: [{ field: "network", message: "Required" }],
      });
    }
    const network = (await deps.catalog.current()).network(code);
    if (!network?.isActive) throw new Refused("network_not_found");
    const wallet = await hotWalletOf(deps.db, { accountId: accountOf(c), network: network.code });
    if (!wallet) throw new Refused("hot_wallet_not_allocated");
    await genuine(deps, Addresses, [wallet]);
    return ok(c, { network: code.toUpperCase(), address: wallet.address });
  },
};
