import { moneyText, separated } from "../../domain/money/written.ts";
import { durationText } from "../../domain/time.ts";
import type { Condition, Rule } from "./rules.ts";

type Said = Omit<Rule, "id" | "label">;

/** A rule as somebody would say it. */
export function ruleSentence(rule: Said, accountName?: string): string {
  const about = aboutOf(rule, accountName);
  const then = thenOf(rule);
  if (rule.condition === "always") return `Every payout${about} ${then}.`;
  const each = rule.each === null ? "" : `, counted separately for each ${rule.each}`;
  return `A payout${about} ${then} if ${WHEN[rule.condition](rule)}${each}.`;
}

function aboutOf({ accountId, keyId, network, currency }: Said, accountName?: string): string {
  const parts = [
    ...currency === null ? [] : [`in ${currency}`],
    ...network === null ? [] : [`on ${network}`],
    ...accountId === null ? [] : [`of ${accountName ?? `account ${accountId}`}`],
    ...keyId === null ? [] : [`requested with the key ${keyId}`],
  ];
  return parts.map((part) => ` ${part}`).join("");
}

function thenOf({ outcome, approvals, expiresMs }: Said): string {
  if (outcome === "refuse") return "is refused";
  const people = approvals === 1 ? "one person" : `${approvals} people`;
  return `needs the approval of ${people} within ${durationText(expiresMs)}`;
}

const WHEN: Readonly<Record<Exclude<Condition, "always">, (rule: Said) => string>> = {
  max_payment: (rule) => `it is ${rule.quote ? "worth more than" : "above"} ${limitOf(rule)}`,
  max_hour: (rule) => `it takes the total of an hour above ${limitOf(rule)}`,
  max_day: (rule) => `it takes the total of 24 hours above ${limitOf(rule)}`,
  max_week: (rule) => `it takes the total of 7 days above ${limitOf(rule)}`,
  max_count_hour: ({ cap }) => `there are more than ${cap} in an hour`,
  max_count_day: ({ cap }) => `there are more than ${cap} in 24 hours`,
  only_payees: () => "the recipient is not a payee that can be used already",
};

function limitOf({ cap, currency, quote }: Said): string {
  if (cap === null) return "";
  if (quote) return moneyText(cap, { currency: quote, rounding: "exact" });
  return currency ? moneyText(cap, { currency, isCoin: true, rounding: "exact" }) : separated(cap);
}
