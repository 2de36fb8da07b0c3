import type { Handler } from "hono";
import type { Deps } from "../../actions/deps.ts";
import { genuine } from "../../actions/books/tampered.ts";
import { Refused } from "../../domain/refusal.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { hotWalletOf } from "../../store/reads/addresses.ts";
import { accountOf } from "../caller.ts";
import { ok } from "../reply.ts";
import { type HttpEnv, queryOf } from "../request_state.ts";

/** Spec 4.9 */
export function readHotWalletAddress(deps: Deps): Handler<HttpEnv> {
  return async (c) => {
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
  };
}
