import { raiseAlert } from "../../src/books/alerts.ts";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { addUpVolumes } from "../../src/accounts/add_up_volumes.ts";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { makeWebhook } from "../support/webhooks.ts";
import { addOwnRule, settleAll } from "../support/payouts.ts";
import { createBatch } from "../../src/payouts/create_batch.ts";
import type { World } from "../support/world.ts";

const OUTSIDE = "0x52908400098527886E0F7030069857D2E4169EE7";

/** Adds some of everything: deposits, withdrawals in several states, a webhook, an alert. */
export async function livedIn(world: World): Promise<void> {
  const { deps, merchant: { api, accountId }, anvil } = world;
  await makeWebhook(deps, { url: "https://shop.example.com/hooks", accountId });
  const body = { network: "ETH", currency: "ETH", to_address: OUTSIDE, amount: "1.25" };
  const allocated = await api.post("/v1/deposit-addresses", {
    network: "ETH",
    currency: "ETH",
    user_identifier: "alice",
  });
  const { address } = allocated.body.data as { address: string };
  await anvil.rpc("eth_sendTransaction", [{
    from: (await anvil.rpc("eth_accounts", []) as string[])[0],
    to: address,
    value: "0xde0b6b3a7640000",
  }]);
  await api.post("/v1/withdrawals", { ...body, client_reference: "first" });
  await settleAll(world);
  await settleAll(world);
  await api.post("/v1/withdrawals", { ...body, client_reference: "second" });
  await raiseAlert(deps, {
    kind: "deposit_surplus",
    subject: `ETH/ETH ${address}`,
    message: `${address} holds 1 ETH that no transaction explains`,
  });
  await makeInvoice(deps, {
    accountId,
    details: { reference: "order-7", description: "Two tickets", customer: "alice" },
  });
  await addUpVolumes(deps);
  const line = { line: 1, network: "ETH", currency: "ETH", toAddress: OUTSIDE, amount: "0.5" };
  const lines = [{ ...line, reference: "salary" }];
  await createBatch(deps, { accountId, lines, actor: "test" });
  await addOwnRule(deps, { accountId });
}

/** Sweeps the deposits to a receiving wallet. */
export async function sweptOn(world: World): Promise<void> {
  const { deps, merchant: { accountId } } = world;
  await setReceivingWallet(deps, { accountId, network: "ETH", address: OUTSIDE, actor: "test" });
  await settleAll(world);
  await settleAll(world);
}
