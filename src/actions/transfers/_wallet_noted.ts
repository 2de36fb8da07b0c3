import { present } from "../../base/assert.ts";
import { AuditLog } from "../../store/tables/audit.ts";
import type { AddressRow } from "../../store/tables/addresses.ts";
import { type SignedTransferRow, SignedTransfers } from "../../store/tables/signed_transfers.ts";
import { auditChainAfter, auditHashBefore } from "../../store/reads/audit.ts";
import { newestTransfersOf } from "../../store/reads/transfers.ts";
import { ADOPTED, SIGNED } from "./note_signed.ts";
import { genuine, reportTampered, TamperedRow } from "../books/tampered.ts";
import type { Deps } from "../deps.ts";

const PAGE = 20;
const ROWS_WALKED = 100_000;

/**
 * Checked before a wallet's first payment in this program: the log must contain the wallet's newest
 * payment. A log put back to an earlier state doesn't, even with matching balances and ledger; and
 * the signed transfers can't be put back with it, because the chain has counted their nonces.
 */
export async function checkWalletNoted(deps: Deps, wallet: AddressRow): Promise<void> {
  const { db, memory: { checkedWallets } } = deps;
  const fromMs = db.seals()?.summedFromMs ?? null;
  if (fromMs === null) return;
  const key = `${wallet.network}/${wallet.address}`;
  if (checkedWallets.has(key)) return;
  const newest = await newestPayment(deps, wallet);
  if (newest && newest.createdAtMs >= fromMs && !await isNoted(deps, newest)) {
    const fault = unnoted(newest, wallet);
    await reportTampered(deps, fault);
    throw fault;
  }
  checkedWallets.add(key);
}

/** A row that doesn't look like a payment may not be genuine. */
async function newestPayment(
  deps: Deps,
  { network, address: sender }: AddressRow,
): Promise<SignedTransferRow | undefined> {
  for (let offset = 0;; offset += PAGE) {
    const page = await newestTransfersOf(deps.db, { network, sender, limit: PAGE, offset });
    const payment = page.findIndex(({ withdrawalId }) => withdrawalId !== null);
    await genuine(deps, SignedTransfers, payment < 0 ? page : page.slice(0, payment + 1));
    if (payment >= 0 || page.length < PAGE) return page[payment];
  }
}

async function isNoted(
  deps: Deps,
  { id, withdrawalId, txHash }: SignedTransferRow,
): Promise<boolean> {
  const [own, transfers] = await Promise.all([
    deps.db.list(AuditLog, { subject: `withdrawal:${withdrawalId}` }),
    deps.db.list(AuditLog, { subject: `transfer:${id}` }),
  ]);
  const row = [...own, ...transfers].find(({ action, detail }) =>
    (action === SIGNED || action === ADOPTED) &&
    (detail as { tx_hash?: string }).tx_hash === txHash
  );
  return row !== undefined && await isInLog(deps, row.id);
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

function unnoted({ id, txHash }: SignedTransferRow, { accountId }: AddressRow): TamperedRow {
  const why = `The audit log has no row about ${txHash}, which was signed: it was put back`;
  return new TamperedRow(SignedTransfers.name, { key: String(id), accountId }, why);
}
