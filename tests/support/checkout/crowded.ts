import type { Deps } from "../../../src/deps/deps.ts";
import { recordAudit } from "../../../src/books/records.ts";
import { linkPayment } from "../../../src/books/transaction_rows.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import { InvoiceAddresses, Invoices } from "../../../src/invoices/tables/invoices.ts";
import { insertRefund } from "../../../src/invoices/sums.ts";
import { type TransactionRow, Transactions } from "../../../src/deposits/tables/transactions.ts";
import { type WithdrawalRow, Withdrawals } from "../../../src/withdrawals/table.ts";

interface Crowd {
  readonly invoiceId: number;
  readonly count: number;
  readonly amount: string;
}

let made = 0;

/** Payments for it, as reading the chain writes them. Nobody has added them up yet. */
export async function addPayments(
  { db, clock }: Deps,
  { invoiceId, count, amount, ...change }: Crowd & Partial<TransactionRow>,
): Promise<void> {
  const given = await db.get(InvoiceAddresses, [invoiceId, "ETH"]);
  const { accountId } = await db.get(Invoices, [invoiceId]);
  await db.write({
    reads: [],
    decide: (view) => {
      for (let i = 0; i < count; i++) {
        const { id } = view.insert(Transactions, {
          ...{ accountId, network: "ETH", currency: "ETH", direction: "deposit", amount },
          ...{ status: "confirmed", live: 1, position: 0, withdrawalId: null, sweepId: null },
          txHash: `0x${(++made).toString(16).padStart(64, "0")}`,
          ...{ fromAddress: "0x1", toAddress: given.address, sender: "0x1", senderNonce: made },
          ...{ blockNumber: 1, blockHash: "0x1", isBelowMinimum: false },
          ...{ addressId: given.addressId, depositRequestId: given.depositRequestId },
          ...{ createdAtMs: clock.nowMs(), confirmedAtMs: clock.nowMs(), minedAtMs: null },
          ...{ seenAtMs: null, creditFrom: null },
          ...change,
        });
        linkPayment(view, { invoiceId, transactionId: id });
      }
    },
  });
}

/** Refunds of it that an account asked for. */
export async function addRefunds(
  { db, clock }: Deps,
  { invoiceId, count, amount, ...change }: Crowd & Partial<WithdrawalRow>,
): Promise<void> {
  const { accountId, keyId } = await db.get(Invoices, [invoiceId]);
  await db.write({
    reads: [read(Invoices, [invoiceId])],
    decide: (view) => {
      for (let i = 0; i < count; i++) {
        const row = view.insert(Withdrawals, {
          ...{ accountId, keyId, clientReference: null, network: "ETH", currency: "ETH" },
          ...{ toAddress: `0x${"f".repeat(40)}`, amount, fee: "0", status: "confirmed" },
          ...{ transferId: null, txHash: null, errorMessage: null, failureReason: null },
          ...{ requestedAtMs: clock.nowMs(), broadcastAtMs: null, confirmedAtMs: null },
          ...{ approval: null, policyValues: null },
          ...change,
        });
        insertRefund(view, { invoiceId, row });
      }
      recordAudit(view, {
        ...{ actor: "test", action: "invoice.refunded", subject: `invoice:${invoiceId}` },
        ...{ detail: {}, nowMs: view.nowMs },
      });
    },
  });
}
