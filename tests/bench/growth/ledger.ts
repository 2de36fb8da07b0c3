import { START_BALANCE } from "../installation.ts";

/** The first entries. */
const REVERSALS = 20;
/** Makes amounts use all decimals. */
const ODD_PART = 10_000_070;
const COIN = 10n ** 18n;

/** SQL values of the n-th entry's kind and amount. */
export const LEDGER_KIND = `CASE WHEN n <= ${REVERSALS} THEN 'reversal' ELSE 'credit' END`;
export const LEDGER_AMOUNT = `'1.' || printf('%018d', n * ${ODD_PART} + 1)`;

/** What so many entries add up to, with what the installation began with. */
export function balanceAfter(entries: number): string {
  let sum = BigInt(START_BALANCE) * COIN;
  for (let n = 1; n <= entries; n++) {
    const amount = COIN + BigInt(n * ODD_PART + 1);
    sum += n <= REVERSALS ? -amount : amount;
  }
  const part = String(sum % COIN).padStart(18, "0");
  return `${sum / COIN}.${part}`.replace(/\.?0+$/, "");
}
