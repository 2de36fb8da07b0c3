import { last } from "../base/lists.ts";
import type { Log } from "../base/log.ts";
import { familyOf } from "../chains/registry.ts";
import { Networks } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { rowsAfter } from "../store/reads/sealed.ts";
import { type AnyRow, sealRead, type Table } from "../store/tables/table.ts";
import { claimsOf } from "../transfers/reads/claims.ts";
import { gasClaim } from "../transfers/rules/claims.ts";
import {
  type ClaimRow,
  Claims,
  type FormerTransferRow,
  FormerTransfers,
  type SignedPaymentRow,
  SignedPayments,
  type SignedTransactionRow,
  SignedTransactions,
} from "../transfers/table.ts";

const PAGE = 250;
const LOGGED_EVERY_ROWS = 10_000;

/**
 * A migration split what was signed into transactions, payments and claims, without the key of the
 * seals. Each new row that says just what its sealed former row says is sealed; any other counts as
 * tampered with. If interrupted, the next start goes on.
 */
export async function passOnSeals({ db, log }: { db: Db; log: Log }): Promise<void> {
  let passed = 0;
  let left = 0;
  for (;;) {
    const page = await rowsAfter(db, FormerTransfers, { after: undefined, limit: PAGE });
    if (page.length === 0) break;
    const sealed = await passPage(db, page);
    passed += sealed;
    left += page.length - sealed;
    if (passed % LOGGED_EVERY_ROWS < PAGE) {
      log.warn("sealing signed transactions anew, once", { passed, to: last(page).id });
    }
  }
  if (passed + left > 0) log.warn("signed transactions are sealed", { passed, tampered: left });
}

async function passPage(db: Db, page: readonly FormerTransferRow[]): Promise<number> {
  const ids = page.map(({ id }) => [id]);
  const claims = Map.groupBy(
    await claimsOf(db, page.map(({ id }) => id)),
    ({ signedId }) => signedId,
  );
  const networks = await db.rows(Networks, "");
  const isOnce = new Map(
    networks.map((
      { code, family },
    ) => [code, familyOf(family).claimOf({ sender: "", nonce: 0 }).isOnce]),
  );
  return await db.write({
    reads: [
      ...readAll(FormerTransfers, ids),
      ...readAll(SignedTransactions, ids),
      ...readAll(SignedPayments, ids),
      ...readAll(
        Claims,
        [...claims.values()].flat().map(({ signedId, claim }) => [signedId, claim]),
      ),
    ],
    decide: (raw) => {
      const view = raw.atOnce("once, for rows that a migration split");
      let passed = 0;
      for (const [id] of ids) {
        const former = view.raw.find(FormerTransfers, [id!]);
        // Another program was faster.
        if (!former) continue;
        const split = {
          tx: view.raw.find(SignedTransactions, [id!]),
          payment: view.raw.find(SignedPayments, [id!]),
          claims: (claims.get(id!) ?? []).map((one) => view.raw.get(Claims, [id!, one.claim])),
        };
        const isOurs = view.isGenuine(FormerTransfers, former) &&
          isSame(former, split, isOnce.get(former.network) ?? false);
        if (isOurs) {
          seal(view, split);
          passed++;
        }
        view.remove(FormerTransfers, former);
      }
      return passed;
    },
  });
}

interface Split {
  readonly tx: SignedTransactionRow | undefined;
  readonly payment: SignedPaymentRow | undefined;
  readonly claims: readonly ClaimRow[];
}

function seal(view: View, { tx, payment, claims }: Split): void {
  const accept = <Row extends AnyRow>(table: Table<Row>, row: Row | undefined) => {
    if (row && sealRead(row) === null) view.accept(table, row);
  };
  accept(SignedTransactions, tx);
  accept(SignedPayments, payment);
  for (const claim of claims) accept(Claims, claim);
}

/** The gas for an address may be claimed by a later top-up, so that one alone may differ. */
function isSame(former: FormerTransferRow, split: Split, isOnce: boolean): boolean {
  const { id, network, purpose } = former;
  const isForeign = purpose === "foreign";
  const isLive = former.liveNonce !== null;
  const tx: SignedTransactionRow = {
    id,
    network,
    sender: former.sender,
    place: former.nonce,
    isLive,
    isForeign,
    paymentCount: isForeign ? 0 : 1,
    txHash: former.txHash,
    raw: former.raw,
    nativeCostMaxRaw: former.nativeCostMaxRaw,
    state: former.state,
    blockNumber: former.blockNumber,
    blockHash: former.blockHash,
    isSuccessful: former.isSuccessful,
    feeRaw: former.feeRaw,
    signedAtHeight: former.signedAtHeight,
    createdAtMs: former.createdAtMs,
    sentAtMs: former.sentAtMs,
  };
  const payment: SignedPaymentRow | undefined = isForeign ? undefined : {
    id,
    signedId: id,
    position: 0,
    network,
    purpose,
    withdrawalId: former.withdrawalId,
    sweepId: former.sweepId,
    transactionId: former.transactionId,
    fromAddress: former.sender,
    toAddress: former.toAddress,
    contractAddress: former.contractAddress,
    amountRaw: former.amountRaw,
    isSuccessful: former.isSuccessful,
    blockHash: former.blockHash,
    arrivedRaw: former.arrivedRaw,
    callsCode: former.callsCode,
    unsettled: null,
  };
  const place = `${former.sender}/${former.nonce}`;
  const gas = purpose === "gas_topup" ? gasClaim(former.toAddress).claim : undefined;
  const areClaimed = split.claims.length === (gas === undefined ? 1 : 2) &&
    split.claims.every((one) =>
      one.network === network &&
      (one.claim === place
        ? one.isOnce === isOnce && one.liveClaim === (isLive ? place : null)
        : one.claim === gas && !one.isOnce && (one.liveClaim === null || one.liveClaim === gas))
    );
  return areClaimed && isEqual(split.tx, tx) && isEqual(split.payment, payment);
}

function isEqual<Row extends AnyRow>(stored: Row | undefined, row: Row | undefined): boolean {
  if (!stored || !row) return stored === row;
  return Object.entries(row).every(([field, value]) => stored[field] === value);
}
