import { present } from "../base/assert.ts";
import { INTEGRITY } from "./rules/refusals.ts";
import { auditChainAfter, auditHashBefore } from "../audit/reads/audit.ts";
import type { SealedRow } from "../store/reads/sealed_row.ts";
import { newestTransactionsOf, withPayments } from "../transfers/reads/transfers.ts";
import { AuditLog } from "../audit/table.ts";
import {
  type Signed,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";
import { read } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { ACCEPTED, ADOPTED, SIGNED } from "../books/trail.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const PAGE = 20;
const ROWS_WALKED = 100_000;
const NOTING: readonly string[] = [SIGNED, ADOPTED, ACCEPTED];

export class UnnotedPayment extends TamperedRow {
  override name = "UnnotedPayment";
  override until = "you have compared the books and accept it";

  constructor({ id, txHash }: SignedTransactionRow, accountId: number | null) {
    const row = { key: String(id), accountId };
    super(SignedTransactions.name, row, INTEGRITY.payment_not_noted({ id, txHash }));
    this.advice = { code: "accept_payment", transferId: id };
  }
}

/**
 * The wallet's newest payment, if the log doesn't contain it. A log put back to an earlier state
 * doesn't, even with matching balances and ledger; and the signed transfers can't be put back with
 * it, because the chain has counted their nonces.
 */
export async function unnotedPayment(
  deps: Deps,
  wallet: { readonly network: string; readonly address: string },
): Promise<SignedTransactionRow | undefined> {
  const fromMs = deps.db.seals()?.summedFromMs ?? null;
  if (fromMs === null) return undefined;
  const newest = await newestPayment(deps, wallet);
  if (!newest || newest.tx.createdAtMs < fromMs || await isNoted(deps, newest)) return undefined;
  return newest.tx;
}

/** This row, if it is a wallet's newest payment and the log doesn't contain it. */
export async function unnoted(
  deps: Deps,
  { table, values }: SealedRow,
): Promise<SignedTransactionRow | undefined> {
  if (table.name !== SignedTransactions.name) return undefined;
  const row = await deps.db.find(SignedTransactions, values);
  if (!row || !deps.db.isGenuine(SignedTransactions, row)) return undefined;
  const newest = await unnotedPayment(deps, { network: row.network, address: row.sender });
  return newest?.id === row.id ? newest : undefined;
}

/** Rows that don't look like a payment may not be genuine. */
async function newestPayment(
  deps: Deps,
  { network, address: sender }: { readonly network: string; readonly address: string },
): Promise<Signed | undefined> {
  for (let offset = 0;; offset += PAGE) {
    const rows = await newestTransactionsOf(deps.db, { network, sender, limit: PAGE, offset });
    const page = await withPayments(deps.db, rows);
    // One whose payments are gone may have been a withdrawal's.
    const payment = page.findIndex(({ tx, payments }) =>
      payments.length !== tx.paymentCount ||
      payments.some(({ withdrawalId }) => withdrawalId !== null)
    );
    const looked = payment < 0 ? page : page.slice(0, payment + 1);
    await genuine(deps, SignedTransactions, looked.map(({ tx }) => tx));
    await genuine(deps, SignedPayments, looked.flatMap(({ payments }) => payments));
    if (payment >= 0 || page.length < PAGE) return page[payment];
  }
}

/** In the log, as signed or adopted, or because an operator accepted it after a break. */
async function isNoted(deps: Deps, { tx: { id, txHash }, payments }: Signed): Promise<boolean> {
  const orders = payments.flatMap(({ withdrawalId }) =>
    withdrawalId === null ? [] : [`withdrawal:${withdrawalId}`]
  );
  const subjects = [...orders, `transfer:${id}`, subjectOf(id), `${FORMER}:${id}`];
  const rows = await Promise.all(subjects.map((subject) => deps.db.list(AuditLog, { subject })));
  const noting = rows.flat().filter(({ action, detail }) =>
    NOTING.includes(action) && detail.tx_hash === txHash
  );
  for (const row of noting) if (await isInLog(deps, row.id)) return true;
  return false;
}

/** What this table was called when older rows were accepted. */
const FORMER = "signed_transfers";

function subjectOf(id: number): string {
  return `${SignedTransactions.name}:${id}`;
}

/**
 * For an old row only the row itself is checked, because walking the log from there would take too
 * long.
 */
async function isInLog({ db, memory }: Deps, id: number): Promise<boolean> {
  const seals = present(db.seals(), "Books are open");
  if (seals.newestLogId - id <= ROWS_WALKED) {
    return await memory.withdrawalTrail.leadsOver(id, seals);
  }
  const [[step], before] = await Promise.all([
    auditChainAfter(db, { id: id - 1, limit: 1 }),
    auditHashBefore(db, id),
  ]);
  return step?.id === id && step.hash === step.expectedAfter(before, seals.mac);
}

/** An operator has looked: the wallet's books are right, though a broken log doesn't prove it. */
export async function acceptPayment(
  deps: Deps,
  { row: { id }, actor }: { row: SignedTransactionRow; actor: Actor },
): Promise<void> {
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [read(SignedTransactions, [id])],
    decide: (view) => {
      const row = view.get(SignedTransactions, [id]);
      const entry = { actor, subject: subjectOf(id), detail: { tx_hash: row.txHash }, nowMs };
      // If the log's end is lost, the first row after it follows nothing and doesn't count.
      recordAudit(view, { ...entry, action: "integrity.accepting" });
      recordAudit(view, { ...entry, action: ACCEPTED });
    },
  });
}
