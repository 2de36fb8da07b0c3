import { first } from "../base/lists.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import { type BalanceKey, Freezes } from "../books/table.ts";
import type { ReadBlock } from "../chains/chain.ts";
import type { Deps } from "../deps/deps.ts";
import { assetOf } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { paymentsOf } from "../transfers/reads/transfers.ts";
import { SignedTransactions } from "../transfers/table.ts";
import { Addresses } from "../wallets/tables/addresses.ts";
import { failingTokens, latestOutcomes } from "../withdrawals/reads/recipients.ts";
import {
  FAILED_MAX,
  isFailingTooOften,
  PAYMENTS_SEEN,
} from "../withdrawals/rules/failing_recipient.ts";

export function accountFailing(asset: BalanceKey): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "account_failing", subject: `account:${asset.accountId} ${assetOf(asset)}` };
}

/**
 * Each failed payment costs gas, and limits per recipient don't stop payments to ever new ones. If too
 * many of an account's payments of a token fail, it pays nothing more in it until an operator has
 * looked. Coins only fail at contracts, which have a limit of their own.
 */
export async function pauseFailing(
  deps: Deps,
  { network, blocks }: { network: NetworkRow; blocks: readonly ReadBlock[] },
): Promise<void> {
  const failed = blocks.flatMap(({ spends }) => spends).filter(({ succeeded }) => !succeeded);
  const found = await Promise.all(
    failed.map(({ txHash }) => deps.db.find(SignedTransactions, [network.code, txHash], "hash")),
  );
  const signed = await paymentsOf(deps.db, found.filter((tx) => tx !== undefined));
  const payments = [...signed.values()].flat()
    .filter(({ purpose, contractAddress }) => purpose === "withdrawal" && contractAddress !== null)
    .map(({ network, fromAddress: sender, contractAddress }) => ({
      network,
      sender,
      contractAddress,
    }));
  const { failuresSeen } = deps.memory;
  // A program that died may have recorded some without looking.
  const earlier = failuresSeen.has(network.code) ? [] : await failingTokens(deps.db, network.code);
  const kinds = Map.groupBy(
    [...payments, ...earlier],
    (row) => `${row.sender} ${row.contractAddress}`,
  );
  for (const group of kinds.values()) await lookAt(deps, first(group));
  failuresSeen.add(network.code);
}

async function lookAt(
  deps: Deps,
  { network, sender, contractAddress: contract }: {
    network: string;
    sender: string;
    contractAddress: string | null;
  },
): Promise<void> {
  const wallet = await deps.db.find(Addresses, [network, sender], "address");
  const currency = (await deps.catalog.current()).currencyByContract(network, contract);
  if (!currency || typeof wallet?.accountId !== "number") return;
  const asset = { accountId: wallet.accountId, network, currency: currency.symbol };
  const alert = accountFailing(asset);
  const place = { network, sender, contract, limit: PAYMENTS_SEEN };
  if (isFailingTooOften(await latestOutcomes(deps.db, { ...place, ...alert }))) {
    await pause(deps, { asset, alert });
  }
}

async function pause(
  deps: Deps,
  { asset, alert }: { asset: BalanceKey; alert: Pick<NewAlert, "kind" | "subject"> },
): Promise<void> {
  const { accountId, network, currency } = asset;
  const key = [accountId, network, currency];
  const reason = `${FAILED_MAX} of its last ${PAYMENTS_SEEN} payments failed, and each cost gas`;
  const message = `Withdrawals of ${assetOf(asset)} are paused for account ${accountId}: ${reason}`;
  const nowMs = deps.clock.nowMs();
  const isNew = await deps.db.write({
    reads: [read(Freezes, key), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      if (!view.find(Freezes, key)) {
        view.insertKeyed(Freezes, { ...asset, code: "books_differ", reason, createdAtMs: nowMs });
      }
      return insertAlert(view, { ...alert, message, accountId, nowMs });
    },
  });
  if (isNew) logAlert(deps, { ...alert, message });
}
