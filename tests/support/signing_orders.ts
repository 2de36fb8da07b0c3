import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { findNetwork } from "../../src/books/find.ts";
import type { SigningOrder } from "../../src/transfers/save_signed.ts";
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import { present } from "../../src/base/assert.ts";
import type { Chain } from "../../src/chains/chain.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { Addresses } from "../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../src/withdrawals/table.ts";
import { ETHER, STRANGER } from "./payers.ts";
import type { World } from "./world.ts";

/** A withdrawal that waits to be signed. */
async function held(
  { deps, merchant: { accountId, credentials: { keyId } } }: World,
  ether: bigint,
) {
  const [asset, amount] = [{ network: "ETH", currency: "ETH" }, String(ether)];
  await adjustBalance(deps, { ...asset, accountId, amount, note: "for it", actor: "test" });
  const caller = { accountId, keyId, actor: "test", signature: null };
  const order = { ...asset, amount, toAddress: STRANGER, clientReference: crypto.randomUUID() };
  return (await createWithdrawal(deps, { caller, ...order })).row.id;
}

/** Orders of coins from the hot wallet. */
export async function orderMaker(world: World, changes: Partial<Chain> = {}) {
  const { deps, merchant: { hotWallet } } = world;
  const network = await findNetwork(deps, "ETH");
  const wallet = present(
    await deps.db.find(Addresses, ["ETH", hotWallet], "address"),
    "It is there",
  );
  const real = deps.chains.of(network);
  const chain: Chain = Object.assign(Object.create(real), changes);
  return async (ether: bigint, more: Partial<SigningOrder> = {}): Promise<SigningOrder> => {
    const isVoid = more.payments?.[0]?.purpose === "void";
    const to = isVoid ? hotWallet : STRANGER;
    const request = { from: hotWallet, to, contract: null, amountRaw: ether * ETHER };
    const price = more.outbids ? { outbids: more.outbids.tx.raw } : {};
    const preflight = await real.prepareTransfer(request, price);
    assert.equal(preflight.kind, "ready");
    const { prepared } = preflight as Extract<typeof preflight, { kind: "ready" }>;
    const base = { network, wallet, chain, prepared };
    if (isVoid) return { ...base, payments: [], ...more };
    const withdrawalId = more.outbids?.payments[0]?.withdrawalId ?? await held(world, ether);
    return {
      ...base,
      payments: [{ purpose: "withdrawal", withdrawalId }],
      reads: [read(Withdrawals, [withdrawalId])],
      claim: (view, { tx: { id: transferId } }) => {
        view.update(Withdrawals, view.find(Withdrawals, [withdrawalId])!, { transferId });
      },
      ...more,
    };
  };
}
