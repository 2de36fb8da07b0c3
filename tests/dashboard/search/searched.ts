import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { ReceivingWallets } from "../../../src/accounts/tables/accounts.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { NO_SUMS } from "../../../src/invoices/rules/sums.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { SignedPayments, SignedTransactions } from "../../../src/transfers/table.ts";
import { Addresses, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import * as rows from "../../store/reads/make_rows.ts";
import { dashboardFetch } from "../../support/dashboard/dashboard.ts";
import { noteTest } from "../../support/stage.ts";
import { makeWebhook } from "../../support/webhooks.ts";

/** One of everything that can be searched for. */
export interface Things {
  readonly accountId: number;
  /** Its records' numbers begin here. */
  readonly base: number;
  readonly name: string;
  readonly user: string;
  readonly address: string;
  readonly payer: string;
  readonly recipient: string;
  readonly openRecipient: string;
  readonly wallet: string;
  readonly paidHash: string;
  readonly payoutHash: string;
  readonly outbidHash: string;
  readonly sweepHash: string;
  readonly reference: string;
  readonly openReference: string;
  readonly idempotencyKey: string;
  readonly invoiceReference: string;
  readonly invoiceCustomer: string;
  readonly keyId: string;
  readonly label: string;
  readonly host: string;
  readonly webhookId: number;
}

/** From a seed, so that a failure can be repeated. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = Math.imul(state, 1_664_525) + 1_013_904_223 >>> 0) / 2 ** 32;
}

function hexOf(random: () => number, bytes: number): string {
  return `0x${toHex(Uint8Array.from({ length: bytes }, () => Math.floor(random() * 256)))}`;
}

/** Written past the gateway, which could not make so many so quickly. */
export async function makeThings(
  deps: Deps,
  { name, random, base }: { name: string; random: () => number; base: number },
): Promise<Things> {
  const { id: accountId } = await createAccount(deps, { name, actor: "test" });
  const word = toHex(Uint8Array.from({ length: 5 }, () => Math.floor(random() * 256)));
  const address = hexOf(random, 20);
  const [label, host] = [`Shop ${word}`, `hooks-${word}.example.com`];
  const key = { accountId, label, permissions: [], ipList: [], rateLimit: 60, actor: "test" };
  const { row: { keyId } } = await createApiKey(deps, key);
  const { id: webhookId } = await makeWebhook(deps, { url: `https://${host}/in`, accountId });
  const things: Things = {
    ...{ accountId, base, name, user: `Customer-${word}`, label },
    address: address.slice(0, 2) + address.slice(2, 20).toUpperCase() + address.slice(20),
    ...{ payer: hexOf(random, 20), recipient: hexOf(random, 20), wallet: hexOf(random, 20) },
    ...{ openRecipient: hexOf(random, 20), paidHash: hexOf(random, 32) },
    ...{ payoutHash: hexOf(random, 32), outbidHash: hexOf(random, 32) },
    ...{ sweepHash: hexOf(random, 32), reference: `Order-${word}`, openReference: `Open-${word}` },
    ...{ idempotencyKey: `Idem-${word}`, keyId, host, webhookId },
    ...{ invoiceReference: `Invoice-${word}`, invoiceCustomer: `Payer-${word}@Shop.Test` },
  };
  await insert(deps, things);
  return things;
}

async function insert({ db }: Deps, things: Things): Promise<void> {
  const { accountId, base: id, address, user: userIdentifier, keyId } = things;
  const owned = { id, accountId, keyId, currency: "ETH", amount: "1.25" };
  await db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      const next = { nextAddress: null, nextAtMs: null };
      view.insertKeyed(ReceivingWallets, {
        accountId,
        network: "ETH",
        address: things.wallet,
        ...next,
      });
      view.insertKeyed(Addresses, rows.makeAddress({ id, accountId, address, userIdentifier }));
      const { idempotencyKey } = things;
      const request = { ...owned, idempotencyKey, addressId: id, address, userIdentifier };
      view.insertKeyed(DepositRequests, rows.makeRequest(request));
      view.insertKeyed(Sweeps, rows.makeSweep({ id, accountId, addressId: id, currency: "ETH" }));
      insertMovements(view, things);
      insertInvoice(view, things);
    },
  });
}

function insertInvoice(view: View, things: Things): void {
  const { base: id, accountId, keyId, invoiceReference, invoiceCustomer } = things;
  view.insertKeyed(Invoices, {
    ...{ id, accountId, keyId, amount: "5", currency: "EUR", tolerancePercent: "0" },
    ...{ idempotencyKey: null, token: `token-${id}`, methods: [], metadata: {} },
    ...{ reference: invoiceReference, customer: invoiceCustomer, description: null },
    ...{ redirectUrl: null, language: null, status: "open", paidAtMs: null, cancelledAtMs: null },
    ...{
      acceptedValue: null,
      acceptedCoins: null,
      sums: NO_SUMS,
      judgeAtMs: null,
      createdAtMs: 0,
      expiresAtMs: 1,
    },
  });
}

function insertMovements(
  view: View,
  things: Things,
): void {
  const { accountId, base: id, keyId } = things;
  const owned = { id, accountId, keyId, currency: "ETH", amount: "1.25" };
  view.insertKeyed(
    Withdrawals,
    rows.makeWithdrawal({
      ...{ ...owned, status: "confirmed", clientReference: things.reference },
      ...{ toAddress: things.recipient, txHash: things.payoutHash },
    }),
  );
  view.insertKeyed(
    Withdrawals,
    rows.makeWithdrawal({
      ...{ ...owned, id: id + 1, status: "pending", clientReference: things.openReference },
      toAddress: things.openRecipient,
    }),
  );
  const paid = { txHash: things.paidHash, fromAddress: things.payer, addressId: id };
  view.insertKeyed(Transactions, rows.makeTransaction({ ...owned, ...paid, status: "confirmed" }));
  const signed = { sender: `0xS${id}`, state: "settled" } as const;
  const hashes = [things.payoutHash, things.outbidHash, things.sweepHash];
  for (const [n, txHash] of hashes.entries()) {
    const superseded = n === 1 ? { state: "superseded" as const } : { isLive: true };
    const tx = { ...signed, id: id + n, txHash, place: n, ...superseded };
    view.insertKeyed(SignedTransactions, rows.makeSigned(tx));
    const order = n === 2
      ? { purpose: "sweep" as const, sweepId: id }
      : { purpose: "withdrawal" as const, withdrawalId: id };
    view.insertKeyed(SignedPayments, rows.makePayment({ id: id + n, ...order }));
  }
}

/** The titles or numbers of what a search shows, or the page that it goes straight to. */
export async function searched(
  url: string,
  { token, q }: { token: string; q: string },
): Promise<{ to: string | undefined; titles: string[]; text: string }> {
  const path = `/search?${new URLSearchParams({ q })}`;
  const answer = await dashboardFetch(url, { path, token });
  const page = await answer.text();
  // The frame around it has the visitor's own name.
  const text = /<main[^]*<\/main>/.exec(page)?.[0] ?? "";
  const to = answer.headers.get("location")?.replace(/^.*\/dashboard/, "");
  const found = text.matchAll(/<strong>([^<]*)<\/strong> (?:<bdi class="whole">([^<]*)<)?/g);
  const titles = [...found].map(([, title, detail = ""]) =>
    /^(Payment|Invoice) \d+/.exec(detail)?.[0] ?? title!
  );
  return { to: answer.status === 303 ? to : undefined, titles, text };
}
