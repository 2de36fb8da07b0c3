import type { AssetBalance } from "../../accounts/total_balances.ts";
import { countText } from "../../notifications/reads/page.ts";
import { isSameSymbol } from "../../domain/money/symbols.ts";
import { moneyText } from "../../domain/money/written.ts";

export interface NetworkTrouble {
  readonly code: string;
  readonly name: string;
  readonly state: "silent" | "halted" | "stalled" | "behind";
  /**
   * How long it has been without an answer; if it is stalled, the age of its newest block. Null: it
   * has never answered.
   */
  readonly forS: number | null;
}

interface Known {
  /** Nothing is signed at all. */
  readonly isStopped: boolean;
  readonly seesAll: boolean;
  readonly troubles: readonly NetworkTrouble[];
  /** Open ones, as the bell and the page Alerts have them. */
  readonly alerts: number;
  /** Of what Home lists besides hints, alerts or not. A second count would only puzzle people. */
  readonly isAnythingListed: boolean;
  /** Undefined: too many to add up. */
  readonly balances: readonly AssetBalance[] | undefined;
  /** "USDT (Ethereum)" */
  coin(row: AssetBalance): string;
  readonly confirming: number;
}

export interface Verdict {
  readonly tone: "good" | "under-way" | "bad" | "plain";
  readonly lead: string;
  readonly text: string;
}

const NAMED_MAX = 3;

/** Whether the money is all right, in one sentence. */
export function verdictOf(known: Known): Verdict {
  const { isStopped, troubles, alerts, isAnythingListed } = known;
  if (isStopped) {
    return {
      tone: "bad",
      lead: "Payouts are paused.",
      text: "Deposits continue. Nothing is lost.",
    };
  }
  const away = troubles.filter(({ state }) => state !== "behind");
  if (away.length > 0) return awayVerdict(away);
  const money = ownedText(known);
  if (troubles[0]) {
    const lead = `${troubles[0].name} is behind.`;
    return { tone: "under-way", lead, text: `Deposits will show up later. ${money}` };
  }
  if (alerts > 0) {
    const lead = alerts === 1 ? "1 alert is open." : `${countText(alerts)} alerts are open.`;
    return { tone: "under-way", lead, text: money };
  }
  if (isAnythingListed) {
    return { tone: "under-way", lead: "Something needs attention.", text: money };
  }
  if (known.balances?.length === 0) {
    return { tone: "plain", lead: "No money has moved yet.", text: confirmingText(known) };
  }
  return { tone: "good", lead: "All good.", text: money };
}

function awayVerdict(away: readonly NetworkTrouble[]): Verdict {
  const names = away.map(({ name }) => name).join(", ");
  const text = "Deposits will show up later, payouts wait or fail. Nothing is lost.";
  const [only] = away;
  if (away.length > 1 || !only) {
    return { tone: "bad", lead: `Nothing new is seen on these networks: ${names}.`, text };
  }
  return { tone: "bad", lead: awayLead(only), text };
}

function awayLead({ name, state, forS }: NetworkTrouble): string {
  if (state === "halted") return `${name} has been halted.`;
  if (forS === null) return `The ${name} node has never answered.`;
  if (state === "stalled") return `The newest block of ${name} is ${duration(forS)} old.`;
  return `The ${name} node has not answered for ${duration(forS)}.`;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3600)} h`;
}

function ownedText(known: Known): string {
  const { balances = [], seesAll, confirming } = known;
  const shown = balances.filter(({ balance }) => balance !== "0");
  if (shown.length === 0) return confirmingText(known);
  const names = shown.slice(0, NAMED_MAX).map((row) => {
    const isAlone = shown.filter(({ currency }) =>
      isSameSymbol(currency, row.currency)
    ).length === 1;
    const currency = isAlone ? row.currency : known.coin(row);
    return moneyText(row.balance, { currency, isCoin: true, rounding: "down" });
  });
  const others = shown.length - NAMED_MAX;
  if (others > 0) names.push(others === 1 ? "1 more currency" : `${others} more currencies`);
  const sum = names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
  const owned = seesAll ? "belong to the accounts" : "are yours";
  return `${sum} ${owned}${confirming > 0 ? `, ${confirmingText(known)}` : "."}`;
}

function confirmingText({ confirming }: Known): string {
  if (confirming === 0) return "No payments are confirming.";
  return confirming === 1 ? "1 payment confirming." : `${confirming} payments confirming.`;
}
