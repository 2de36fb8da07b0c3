import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { STRANGER } from "../../support/payers.ts";
import { settleAll } from "../../support/payouts.ts";
import type { World } from "../../support/world.ts";

export const UNIT = 10n ** 15n;
export const ETH = { network: "ETH", currency: "ETH" };
export const USDT = { network: "ETH", currency: "USDT" };

let invoices = 0;

/** 0.01 ETH and 5 USDT were paid and credited for it. */
export async function paidInvoice(world: World, token?: Awaited<ReturnType<World["addToken"]>>) {
  const { merchant: { api }, anvil, deps } = world;
  const { body: { data } } = await api.post("/v1/invoices", {
    ...{ amount: "0.01", currency: "ETH", method: ETH, reference: `r${++invoices}` },
  });
  const { address } = data.methods[0];
  await sendTx(anvil, { to: address, valueRaw: 10n * UNIT });
  await token?.send("mint", [address, 5_000_000n]);
  await settleAll(world);
  await judgeDue(deps);
  return data.invoice_id as number;
}

export async function refund({ merchant: { api } }: World, id: number, asked: object) {
  const reply = await api.post(`/v1/invoices/${id}/refunds`, {
    ...{ ...ETH, amount: "0.001", to_address: STRANGER },
    ...asked,
  });
  const { status, body: { data, error } } = reply;
  return { reply, data, code: status === 200 ? "ok" : `${status} ${error.code}` };
}

export async function refundsOf({ merchant: { api } }: World, id: number) {
  const { body: { data: { refunds } } } = await api.get(`/v1/invoices/${id}`);
  return refunds;
}

export const PAYERS = `0x${"b0".repeat(20)}`;

/** The page of a new link, or the code of the refusal. */
export async function linkTo(world: World, id: number, asked: object): Promise<string> {
  const { status, body } = await world.merchant.api.post(`/v1/invoices/${id}/refund-links`, {
    ...{ ...ETH, amount: "0.004" },
    ...asked,
  });
  return status === 200 ? world.url + new URL(body.data.url).pathname : body.error.code;
}

export function submit(url: string, address: string): Promise<Response> {
  const body = new URLSearchParams({ address });
  return fetch(url, { method: "POST", body, redirect: "manual" });
}
