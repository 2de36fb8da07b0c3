import { enableCurrency } from "../../src/accounts/enable_currency.ts";
import { makeToken } from "./gateway.ts";
import { type Contract, deploy } from "./nodes/contracts.ts";
import type { World } from "./world.ts";

/** A token that answers nothing and can ban holders. */
export async function addUsdtLike(world: World, symbol: string): Promise<Contract> {
  const { deps, anvil, merchant: { accountId } } = world;
  const token = await deploy(anvil, { name: "UsdtLike" });
  await makeToken(deps, { network: "ETH", contract: token.address, symbol });
  await enableCurrency(deps, {
    accountId,
    network: "ETH",
    currency: symbol,
    isDepositEnabled: true,
    isWithdrawalEnabled: true,
    isOperator: true,
    actor: "test",
  });
  return token;
}
