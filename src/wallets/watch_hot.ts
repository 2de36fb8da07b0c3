import { Amount } from "../domain/money/amount.ts";
import { isRefilled, levelOf, missingOf } from "./rules/wallet_level.ts";
import { hotWallets } from "./reads/addresses.ts";
import { openAlertsOf } from "../notifications/reads/notices.ts";
import type { AddressRow } from "./tables/addresses.ts";
import { alertRead, closeAlert, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";
import { lookAtWallets, type WalletLook } from "./look.ts";
import type { CurrencyStock } from "./stocks.ts";

const WALLETS_MAX = 500;
const NODE_MS = 10_000;
const KIND = "hot_wallet_low";

/** Operators and the account hear that a hot wallet is low before a payout fails for it, once. */
export async function watchHotWallets(deps: Deps): Promise<void> {
  const { networks } = await deps.catalog.current();
  const active = networks.filter(({ isActive }) => isActive);
  const [open, ...rows] = await Promise.all([
    openAlertsOf(deps.db, KIND),
    ...active.map(({ code }) => hotWallets(deps.db, { network: code, limit: WALLETS_MAX })),
  ]);
  const looks = await lookAtWallets(deps, { rows: rows.flat(), waitMs: NODE_MS });
  const known = new Set(open.map(({ subject }) => subject));
  const watched = new Set(looks.map(({ row }) => lowWalletSubject(row)));
  const low = looks.filter((look) =>
    !known.has(lowWalletSubject(look.row)) && isUsed(look) && lowIn(look).length > 0
  );
  const over = looks
    .filter((look) => !isUsed(look) || look.stocks.map(ownMoney).every(isRefilled))
    .map(({ row }) => lowWalletSubject(row));
  const gone = [...known].filter((subject) => !watched.has(subject));
  await change(deps, {
    opened: low.map(alertOf),
    closed: [...over, ...gone].filter((subject) => known.has(subject)),
  });
}

/** From one that has never paid, or whose account has nothing left, nobody expects a payment. */
function isUsed({ stocks }: WalletLook): boolean {
  const paysNow = stocks.some(({ usual }) => !usual.isZero());
  const hasPaid = stocks.some(({ needed }) => !needed.isZero());
  return paysNow || hasPaid && stocks.some(({ isOwed }) => isOwed);
}

function lowIn({ stocks }: WalletLook): CurrencyStock[] {
  return stocks.map(ownMoney).filter((stock) => ["low", "empty"].includes(levelOf(stock)));
}

/** The gas wallet keeps the operator's target by itself. */
function ownMoney(stock: CurrencyStock): CurrencyStock {
  const { target } = stock;
  return target.isZero() ? stock : { ...stock, target: Amount.zero(target.asset), isWanted: false };
}

function alertOf(look: WalletLook): NewAlert {
  const { row, network } = look;
  const lacks = lowIn(look).map(lackText).join(", and ");
  return {
    kind: KIND,
    subject: lowWalletSubject(row),
    ...row.accountId === null ? {} : { accountId: row.accountId },
    message: `Payouts of account ${row.accountId} on ${network.code} may fail, because its hot ` +
      `wallet holds ${lacks}. The Wallets page shows where to send coins`,
  };
}

function lackText(stock: CurrencyStock): string {
  const missing = missingOf(stock);
  const holds = `${stock.held ?? "an unknown amount of"} ${stock.symbol}`;
  return missing.isZero() ? holds : `${holds} and needs ${missing} more`;
}

export function lowWalletSubject({ network, accountId }: AddressRow): string {
  return `network:${network} account:${accountId}`;
}

async function change(
  deps: Deps,
  { opened, closed }: { opened: readonly NewAlert[]; closed: readonly string[] },
): Promise<void> {
  if (opened.length + closed.length === 0) return;
  const nowMs = deps.clock.nowMs();
  const isNew = await deps.db.write({
    reads: [...opened.map(({ subject }) => subject), ...closed]
      .map((subject) => alertRead(KIND, subject)),
    decide: (view) => {
      for (const subject of closed) closeAlert(view, { kind: KIND, subject, nowMs });
      return opened.filter((alert) => insertAlert(view, { ...alert, nowMs }));
    },
  });
  for (const alert of isNew) logAlert(deps, alert);
}
