import { foldAscii } from "../../base/fold_ascii.ts";
import { moneyText } from "../../domain/money/written.ts";
import type { SearchTerm } from "../reads/term.ts";
import type { Found, FoundTransfer } from "../reads/search.ts";
import type { InvoiceRow } from "../../invoices/tables/invoices.ts";
import type { AddressRow } from "../../wallets/tables/addresses.ts";
import type { SignedTransactionRow } from "../../transfers/table.ts";
import type { SweepRow } from "../../sweeps/table.ts";
import type { TransactionRow } from "../../deposits/tables/transactions.ts";
import type { WithdrawalRow } from "../../withdrawals/table.ts";
import { customerPath } from "../../dashboard/paths.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { stateWord } from "../../dashboard/words/states.ts";
import { typedReference } from "../../withdrawals/words/payout_name.ts";
import { orderName, type Payers, paymentName } from "../../dashboard/words/orders.ts";
import { type Hit, hit, isMatch, matchedOf } from "./_hit.ts";

export interface Group {
  readonly title: string;
  readonly hits: readonly Hit[];
  /** There are more than these. */
  readonly isCut: boolean;
}

interface Hitting {
  readonly visit: Visit;
  readonly term: SearchTerm;
  readonly payers: Payers;
  readonly shownMax: number;
}

/** Everything found, under headings, each page once. */
export function groupsOf(found: Found, hitting: Hitting): Group[] {
  const all: readonly (readonly [title: string, hits: readonly Hit[]])[] = [
    ["Customers", found.customers.map((row) => customerHit(row, hitting))],
    ["Addresses", [
      ...found.addresses.map((row) => addressHit(row, hitting)),
      ...found.wallets.map(({ accountId, network, address }) =>
        hit(hitting, {
          ...{
            path: `/wallets?account=${accountId}#receiving`,
            accountId,
            detail: hitting.visit.network(network),
          },
          title: "Receiving wallet",
          matched: { name: "Address", text: address },
        })
      ),
    ]],
    ["Payments", found.transactions.flatMap((row) => paymentHit(row, hitting))],
    ["Invoices", found.invoices.map((row) => invoiceHit(row, hitting))],
    ["Payouts", [
      ...found.withdrawals.map((row) => payoutHit(row, hitting)),
      ...ofTransactions(found.transactions, hitting),
      ...found.transfers.flatMap((row) => transferHit(row, hitting)),
    ]],
    ["Sweeps", sweepHits(found, hitting)],
    ["Deposit requests", requestHits(found, hitting)],
    ["Developers", developerHits(found, hitting)],
    ["Accounts and users", peopleHits(found, hitting)],
  ];
  return all.map(([title, hits]) => groupOf(title, hits, hitting))
    .filter(({ hits }) => hits.length > 0);
}

function groupOf(title: string, hits: readonly Hit[], hitting: Hitting): Group {
  const { visit, shownMax } = hitting;
  const byPath = new Map<string, Hit>();
  for (const one of hits.filter(({ path }) => visit.may("GET", path))) {
    if (!byPath.has(one.path) || (one.isExact && !byPath.get(one.path)?.isExact)) {
      byPath.set(one.path, one);
    }
  }
  const unique = [...byPath.values()].toSorted((a, b) => Number(b.isExact) - Number(a.isExact));
  return { title, hits: unique.slice(0, shownMax), isCut: unique.length > shownMax };
}

function customerHit(row: AddressRow, hitting: Hitting): Hit {
  const { accountId, userIdentifier } = row;
  const text = userIdentifier ?? "";
  return hit(hitting, {
    ...{ accountId, path: customerPath({ accountId, userIdentifier: text }) },
    ...{ title: "Customer", matched: { name: "Customer", text }, detail: "" },
  });
}

function addressHit(row: AddressRow, hitting: Hitting): Hit {
  const { id, accountId, network, address, purpose, userIdentifier } = row;
  const isOurs = purpose === "deposit";
  const path = isOurs
    ? `/addresses/${id}`
    : `/wallets${accountId === null ? "" : `?account=${accountId}`}`;
  const titles = { deposit: "Deposit address", hot: "Hot wallet", gas: "Gas wallet" };
  const name = hitting.visit.network(network);
  const detail = userIdentifier === null ? name : `${name} · ${userIdentifier}`;
  const matched = { name: "Address", text: address };
  return hit(hitting, { accountId, path, title: titles[purpose], matched, detail });
}

function paymentHit(row: TransactionRow, hitting: Hitting): Hit[] {
  if (row.direction !== "deposit") return [];
  const { id, accountId, txHash, fromAddress } = row;
  const [title, number] = [paymentName(row, hitting.payers), `Payment ${id}`];
  const texts = [["Transaction", txHash], ["Payer", fromAddress]] as const;
  return [hit(hitting, {
    ...{ accountId, path: `/deposits/${id}`, title },
    matched: matchedOf(hitting, { id, texts }),
    detail: numbered(number, { title, detail: detailOf(row, hitting) }),
  })];
}

/** A number that is no title comes after it. */
function numbered(number: string, { title, detail }: { title: string; detail: string }): string {
  return title === number ? detail : `${number} · ${detail}`;
}

function detailOf(
  row: { amount: string; currency: string; network: string; status: string },
  { visit }: Hitting,
  who: string | null = null,
): string {
  return [visit.money(row), who, stateWord(row.status)]
    .filter(Boolean).join(" · ");
}

function invoiceHit(row: InvoiceRow, hitting: Hitting): Hit {
  const { id, accountId, amount, currency, reference, customer, description, status } = row;
  const [title, number] = [orderName(row), `Invoice ${id}`];
  const texts = [["Reference", reference], ["Customer", customer]] as const;
  const matched = matchedOf(hitting, { id, texts });
  const isAbout = matched.name === "Number" && description !== null && hitting.term.id !== id;
  return hit(hitting, {
    ...{ accountId, path: `/invoices/${id}`, title },
    matched: isAbout ? { name: "For", text: description } : matched,
    detail: numbered(number, {
      title,
      detail: `${moneyText(amount, { currency, rounding: "exact" })} · ${status}`,
    }),
  });
}

function payoutHit(row: WithdrawalRow, hitting: Hitting): Hit {
  const { id, accountId, clientReference, toAddress, txHash } = row;
  const texts = [
    ["Reference", clientReference],
    ["Transaction", txHash],
    ["Recipient", toAddress],
  ] as const;
  return hit(hitting, {
    ...{ accountId, path: `/withdrawals/${id}`, title: `Payout ${id}` },
    matched: matchedOf(hitting, { id, texts }),
    detail: detailOf(row, hitting, typedReference(row)),
  });
}

/** Rows of withdrawals, found by their hashes. */
function ofTransactions(rows: readonly TransactionRow[], hitting: Hitting): Hit[] {
  return rows.flatMap((row) => {
    const { withdrawalId, accountId, txHash } = row;
    if (withdrawalId === null) return [];
    return hit(hitting, {
      ...{ accountId, path: `/withdrawals/${withdrawalId}`, title: `Payout ${withdrawalId}` },
      matched: { name: "Transaction", text: txHash },
      detail: detailOf(row, hitting),
    });
  });
}

const WORDS: Readonly<Record<SignedTransactionRow["state"], string>> = {
  open: "sent",
  settled: "mined",
  superseded: "replaced by another transaction",
  abandoned: "given up",
};

function transferHit({ tx, withdrawal }: FoundTransfer, hitting: Hitting): Hit[] {
  // Such as a contract that was deployed, a stake, or coins that were taken out.
  if (tx.paymentCount === 0 && !tx.isForeign) {
    return [hit(hitting, {
      ...{
        accountId: null,
        path: `/networks/${tx.network}`,
        title: `Gas wallet on ${hitting.visit.network(tx.network)}`,
      },
      matched: { name: "Transaction", text: tx.txHash },
      detail: WORDS[tx.state],
    })];
  }
  if (!withdrawal) return [];
  const { id, accountId } = withdrawal;
  return [hit(hitting, {
    ...{ accountId, path: `/withdrawals/${id}`, title: `Payout ${id}` },
    matched: { name: "Transaction", text: tx.txHash },
    detail: `${detailOf(withdrawal, hitting, typedReference(withdrawal))} · ${WORDS[tx.state]}`,
  })];
}

function sweepHits({ sweeps, transfers, transactions }: Found, hitting: Hitting): Hit[] {
  const numbered = sweeps.map((row) => sweepHit(row, { name: "Number", text: String(row.id) }));
  const signed = transfers.flatMap(({ tx: { txHash }, sweep }) =>
    sweep ? sweepHit(sweep, { name: "Transaction", text: txHash }) : []
  );
  const recorded = transactions.flatMap((row) => {
    const { accountId, sweepId, direction, txHash } = row;
    if (sweepId === null || direction === "deposit") return [];
    return hit(hitting, {
      ...{ accountId, path: `/sweeps/${sweepId}`, title: `Sweep ${sweepId}` },
      ...{ matched: { name: "Transaction", text: txHash }, detail: detailOf(row, hitting) },
    });
  });
  return [...numbered, ...signed, ...recorded];

  function sweepHit(row: SweepRow, matched: Hit["matched"]): Hit {
    const { id, accountId, state } = row;
    const detail = `${hitting.visit.coin(row)} · ${state}`;
    return hit(hitting, {
      accountId,
      path: `/sweeps/${id}`,
      title: `Sweep ${id}`,
      matched,
      detail,
    });
  }
}

function requestHits({ requests }: Found, hitting: Hitting): Hit[] {
  return requests.map((row) => {
    const { id, accountId, addressId, idempotencyKey } = row;
    return hit(hitting, {
      ...{ accountId, path: `/addresses/${addressId}`, title: `Deposit request ${id}` },
      matched: matchedOf(hitting, { id, texts: [["Idempotency key", idempotencyKey]] }),
      detail: hitting.visit.coin(row),
    });
  });
}

function developerHits({ keys, webhooks }: Found, hitting: Hitting): Hit[] {
  return [
    ...keys.map(({ keyId, accountId, label, revokedAtMs }) =>
      hit(hitting, {
        ...{ accountId, path: `/keys?account=${accountId}`, title: `Key ${label}` },
        matched: isMatch(foldAscii(keyId), hitting.term)
          ? { name: "Key id", text: keyId }
          : { name: "Label", text: label },
        detail: revokedAtMs === null ? "" : "revoked",
      })
    ),
    ...webhooks.map(({ id, accountId, url, disabledAtMs }) =>
      hit(hitting, {
        ...{ accountId, path: `/webhooks/${id}`, title: `Webhook ${id}` },
        matched: { name: "URL", text: url },
        detail: disabledAtMs === null ? "" : "disabled",
      })
    ),
  ];
}

function peopleHits({ accounts, users }: Found, hitting: Hitting): Hit[] {
  return [
    ...accounts.map(({ id, name }) =>
      hit(hitting, {
        ...{ accountId: null, path: `/accounts/${id}`, title: `Account ${id}`, detail: "" },
        matched: { name: "Name", text: name },
      })
    ),
    ...users.map(({ id, email, role, accountId }) =>
      hit(hitting, {
        ...{ accountId, path: `/users`, title: `User ${id}`, detail: role },
        matched: { name: "Email", text: email },
      })
    ),
  ];
}
